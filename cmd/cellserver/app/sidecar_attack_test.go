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

// TestSidecarReset: RESET ends the connection of a client's own, after all its replies. The client is upstream-user again.
func TestSidecarReset(t *testing.T) {
	hub := start(t, "--requirepass", "secret")
	admin := hub.dial(t)
	ok(t, admin, "AUTH", "secret")
	for _, user := range []string{"app", "ann"} {
		ok(t, admin, "ACL", "SETUSER", user, "on", ">a", "~*", "&*", "+@all")
	}
	side := startSidecar(t, hub, "--upstream-user", "app", "--upstream-password", "a")
	c := side.dial(t)
	id := c.Do("CLIENT", "ID")
	for _, first := range []string{"MULTI", "SUBSCRIBE x", "HELLO 3 AUTH ann a|SUBSCRIBE y", "SELECT 2", "ECHO z"} {
		var written []byte
		for _, words := range strings.Split(first+"|PING last|RESET|ACL WHOAMI|CLIENT ID", "|") {
			all := []any{}
			for _, word := range strings.Fields(words) {
				all = append(all, word)
			}
			written = append(written, resptest.Command(all...)...)
		}
		c.Write(written)
		replies := 0
		for c.Recv() != resptest.Simple("RESET") {
			replies++
		}
		require.Equal(t, strings.Count(first, "|")+2, replies, first)
		require.Equal(t, "app", c.Recv(), first)
		require.Equal(t, id, c.Recv(), first)
	}
}

// TestSidecarSlowScripts: clients that run no scripts do not wait for the script of another client.
func TestSidecarSlowScripts(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	side := startSidecar(t, hub)
	slow := side.dial(t)
	ok(t, slow, "SET", "a", 1)
	slow.Write(resptest.Command("EVAL", "while true do end", 0))
	require.Eventually(t, func() bool {
		list, _ := admin.Do("CLIENT", "LIST").(string)
		return strings.Contains(list, "cmd=eval")
	}, timeout, time.Millisecond)
	for range 5 { // more than there are connections to share
		require.Equal(t, "1", side.dial(t).Do("GET", "a"))
	}
	require.Eventually(t, func() bool { return admin.Do("SCRIPT", "KILL") == resptest.Simple("OK") }, timeout, time.Millisecond)
	require.IsType(t, resptest.Error(""), slow.Recv())
	require.Equal(t, "1", slow.Do("GET", "a"))
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
