package app

import (
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestSidecarStrangers: a wrong password drops no lease of that user, and stops nobody. A user that the hub has deleted
// has no rights that the hub gave before.
func TestSidecarStrangers(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~*", "+@all")
	side := startSidecar(t, hub)
	ann := side.dial(t)
	ok(t, ann, "AUTH", "ann", "a")
	require.Equal(t, int64(0), ann.Do("CL.THROTTLE", "k", 15, 1, 60).([]any)[0])
	require.Equal(t, 1, side.peers.sidecar.Accounts())
	stranger := side.dial(t)
	require.Contains(t, stranger.Do("AUTH", "ann", "b"), resptest.Error("WRONGPASS"))
	require.Contains(t, stranger.Do("HELLO", "4", "AUTH", "ann", "a"), resptest.Error("NOPROTO"))
	require.Equal(t, "default", stranger.Do("ACL", "WHOAMI"))
	require.Equal(t, 1, side.peers.sidecar.Accounts())
	require.NotContains(t, side.log.String(), "the hub refuses a user")

	ok(t, ann, "CONFIG", "SET", "upstream-lost", "local")
	require.Equal(t, int64(1), admin.Do("ACL", "DELUSER", "ann"))
	require.Eventually(t, func() bool {
		_, refused := ann.Do("CONFIG", "SET", "upstream-lost", "allow").(resptest.Error)
		return refused
	}, timeout, 10*time.Millisecond)
	require.Zero(t, side.peers.sidecar.Accounts())
}

// TestSidecarOfAFullHub: a hub without room for a connection refuses the user for this time only.
func TestSidecarOfAFullHub(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~*", "+@all")
	side := startSidecar(t, hub)
	ann := side.dial(t)
	ok(t, ann, "AUTH", "ann", "a")
	ok(t, ann, "SET", "n", 1)
	ok(t, admin, "CONFIG", "SET", "maxclients", 1)
	require.Positive(t, admin.Do("CLIENT", "KILL", "USER", "ann"))
	require.Eventually(t, func() bool {
		text, refused := ann.Do("GET", "n").(resptest.Error)
		return refused && strings.Contains(string(text), "max number of clients")
	}, timeout, time.Millisecond)
	ok(t, admin, "CONFIG", "SET", "maxclients", 1000)
	require.Eventually(t, func() bool { return ann.Do("GET", "n") == "1" }, timeout, 10*time.Millisecond)
}

// TestSidecarWithWrongPassword: the hub refuses upstream-user, and answers all others. The log says it once.
func TestSidecarWithWrongPassword(t *testing.T) {
	hub := start(t)
	ok(t, hub.dial(t), "ACL", "SETUSER", "ann", "on", ">a", "~*", "+@all")
	side := startSidecar(t, hub, "--upstream-user", "app", "--upstream-password", "wrong")
	ann, guest := side.dial(t), side.dial(t)
	require.Contains(t, guest.Do("GET", "x"), resptest.Error("WRONGPASS"))
	require.Contains(t, guest.Do("CL.THROTTLE", "k", 15, 1, 60), resptest.Error("WRONGPASS"))
	require.Contains(t, guest.Do("CONFIG", "GET", "upstream"), resptest.Error("WRONGPASS"))
	require.Contains(t, guest.Do("INFO", "sidecar"), "upstream:")
	ok(t, ann, "AUTH", "ann", "a")
	for began := time.Now(); time.Since(began) < time.Second; { // some questions whether the hub answers
		require.Equal(t, int64(0), ann.Do("CL.THROTTLE", "k", 1000000, 1000000, 60).([]any)[0])
	}
	_, lost := side.peers.sidecar.Figures()
	require.Zero(t, lost)
	require.Equal(t, 1, strings.Count(side.log.String(), "the hub refuses a user"))
}

// TestSidecarLongLines: an error of any length is the reply of its client, and disturbs no other one.
func TestSidecarLongLines(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	for range 5 { // more than there are connections to share
		c := side.dial(t)
		c.Write(resptest.Command("SET", "a", 1))
		c.Write(resptest.Command("EVAL", "return {err=string.rep('x', 300000)}", 0))
		c.Write(resptest.Command("EVAL", "return {1, {ok=string.rep('y', 300000)}, 2}", 0))
		c.Write(resptest.Command("GET", "a"))
		require.Equal(t, resptest.Simple("OK"), c.Recv())
		require.Equal(t, resptest.Error(strings.Repeat("x", 300000)), c.Recv())
		require.Equal(t, []any{int64(1), resptest.Simple(strings.Repeat("y", 300000)), int64(2)}, c.Recv())
		require.Equal(t, "1", c.Recv())
	}
}
