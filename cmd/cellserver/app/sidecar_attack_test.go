package app

import (
	"fmt"
	"net"
	"slices"
	"strconv"
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

// TestRightsWithAFullHub: the last answer of a hub that has no room counts, as that of a hub that is lost.
func TestRightsWithAFullHub(t *testing.T) {
	hub := start(t)
	admin, c := hub.dial(t), startSidecar(t, hub).dial(t)
	ask := func() any { return c.Do("CONFIG", "GET", "upstream-mode") }
	require.Equal(t, []any{"upstream-mode", "exact"}, ask())
	ok(t, admin, "CONFIG", "SET", "maxclients", 1)
	admin.Do("CLIENT", "KILL", "TYPE", "normal")
	require.Eventually(t, func() bool { return c.Do("CLIENT", "LIST") == resptest.Error("ERR max number of clients reached") }, timeout, time.Millisecond)
	for range 10 {
		require.Equal(t, []any{"upstream-mode", "exact"}, ask())
	}
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
	hub := start(t, "--busy-reply-threshold", "0") // clients get no BUSY, however long they take
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

// TestSidecarLongCommands: brief commands do not wait for those that take long. A client that has sent one, keeps its order.
func TestSidecarLongCommands(t *testing.T) {
	hub, release := newFakeHub(t, "KEYS", "SMEMBERS", "ZUNIONSTORE")
	side := startSidecarOf(t, hub)
	held := [][]any{{"KEYS", "*"}, {"SMEMBERS", "s"}, {"ZUNIONSTORE", "to", 1, "s"}}
	var slow []*resptest.Client
	for i := range 9 { // more than there are connections to share
		c := side.dial(t)
		c.Write(append(resptest.Command(held[i%3]...), resptest.Command("GET", "k")...))
		slow = append(slow, c)
		for range 4 { // on all connections
			require.Equal(t, resptest.Simple("GET"), side.dial(t).Do("GET", "k"))
		}
	}
	close(release)
	for i, c := range slow {
		require.Equal(t, resptest.Simple(held[i%3][0].(string)), c.Recv())
		require.Equal(t, resptest.Simple("GET"), c.Recv())
	}
}

// newFakeHub answers each command with its name. It holds some commands, and what comes after them, until release is closed.
func newFakeHub(t *testing.T, held ...string) (address string, release chan struct{}) {
	release = make(chan struct{})
	h := newHostileHub(t, 0, func(_ string, words []any) string {
		name := words[0].(string)
		if slices.Contains(held, name) {
			<-release
		}
		return fmt.Sprintf("+%s\r\n", name)
	})
	return h.ln.Addr().String(), release
}

// TestSidecarBoundsGuesses: who guesses passwords, reaches the hub as often as auth-fail-limit says, and locks out nobody who has
// logged in before.
func TestSidecarBoundsGuesses(t *testing.T) {
	hub := start(t, "--auth-fail-limit", "0 0")
	admin := hub.dial(t)
	for _, user := range []string{"ann", "bob"} {
		ok(t, admin, "ACL", "SETUSER", user, "on", ">a", "~*", "+@all")
	}
	side := startSidecar(t, hub, "--auth-fail-limit", "10 3600", "--unixsocket", resptest.SocketPath(t))
	for range 20 { // the same right password is no guess
		ok(t, side.dial(t), "AUTH", "ann", "a")
	}
	received := func() int {
		_, after, _ := strings.Cut(admin.Do("INFO", "stats").(string), "total_connections_received:")
		digits, _, _ := strings.Cut(after, "\r\n")
		n, err := strconv.Atoi(digits)
		require.NoError(t, err)
		return n
	}
	before := received()
	var all []*resptest.Client
	for i := range 50 {
		c := side.dial(t)
		all = append(all, c)
		c.Write(append(resptest.Command("AUTH", "ann", fmt.Sprint("x", i)), resptest.Command("HELLO", 3, "AUTH", "ann", fmt.Sprint("y", i))...))
	}
	wrong, refused := 0, 0
	for _, c := range all {
		for range 2 {
			switch text := string(c.Recv().(resptest.Error)); {
			case strings.HasPrefix(text, "WRONGPASS"):
				wrong++
			case strings.HasPrefix(text, "ERR too many failed attempts to authenticate from this address: try again in"):
				refused++
			default:
				t.Fatal(text)
			}
		}
	}
	require.Equal(t, 10, wrong)
	require.Equal(t, 90, refused)
	require.LessOrEqual(t, received()-before, 10)
	ok(t, side.dial(t), "AUTH", "ann", "a")
	require.Contains(t, side.dial(t).Do("AUTH", "bob", "a"), resptest.Error("ERR too many failed attempts"), "new to this address")
	require.Contains(t, side.log.String(), "auth-fail-limit")

	conn, err := net.Dial("unix", side.server.Config().UnixSocket)
	require.NoError(t, err)
	local := resptest.New(t, conn)
	defer local.Close()
	ok(t, local, "AUTH", "bob", "a")
	for i := range 10 {
		require.Contains(t, local.Do("AUTH", "bob", fmt.Sprint("x", i)), resptest.Error("WRONGPASS"))
	}
	require.Contains(t, local.Do("AUTH", "bob", "z"), resptest.Error("ERR too many failed attempts"))
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

// TestSidecarLeadersOfScripts: no script sends the connections of a sidecar, and the passwords of its users, to another server.
func TestSidecarLeadersOfScripts(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer other.Close()
	forged := fmt.Sprintf("return {err='MOVED 1 %s'}", other.Addr())
	c := side.dial(t)
	require.Contains(t, c.Do("EVAL", forged, 0), resptest.Error("NOHUB"))
	ok(t, c, "SET", "a", 1)
	ok(t, c, "SELECT", 1) // a connection of its own
	require.Contains(t, c.Do("EVAL", forged, 0), resptest.Error("NOHUB"))
	ok(t, c, "SET", "a", 1)
	require.NoError(t, other.(*net.TCPListener).SetDeadline(time.Now().Add(time.Second)))
	_, err = other.Accept()
	require.Error(t, err)
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

// TestSidecarRefusalsOfAnother: a user whom the hub refuses commands all the time does not keep the leases of another one alive.
func TestSidecarRefusalsOfAnother(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	for _, user := range []string{"ann", "bob"} {
		ok(t, admin, "ACL", "SETUSER", user, "on", ">a", "~a:*", "+@all")
	}
	side := startSidecar(t, hub, "--upstream-lease", "60000")
	ann, bob := side.dial(t), side.dial(t)
	ok(t, ann, "AUTH", "ann", "a")
	ok(t, bob, "AUTH", "bob", "a")
	hot := []any{"CL.WINDOW", "a:k", 1000000, 3600}
	for side.infoOf(t, "spent") < 100 {
		require.Equal(t, int64(0), ann.Do(hot...).([]any)[0])
	}
	ok(t, admin, "ACL", "SETUSER", "ann", "-cl.window")
	require.Equal(t, int64(0), ann.Do(hot...).([]any)[0], "the lease goes on")
	refused := resptest.Error("NOPERM")
	require.Contains(t, bob.Do("CL.WINDOW", "b:k", 10, 60), refused)
	require.Contains(t, ann.Do("CL.WINDOW", "a:other", 10, 60), refused)
	require.Eventually(t, func() bool { _, is := ann.Do(hot...).(resptest.Error); return is }, 30*time.Second, 10*time.Millisecond,
		"a lease lasts a minute")
}

// TestSidecarSharesOfAWindow: a share comes back in the time of the whole window, also if the sidecar has seen no more than the
// end of one.
func TestSidecarSharesOfAWindow(t *testing.T) {
	hub := start(t, "--enable-debug-command", "yes")
	ok(t, hub.dial(t), "DEBUG", "CLOCK", "SET", "1799999999000000000") // the last second of an hour
	proxy := newCut(t, hub.Addr().String())
	side := startSidecarOf(t, proxy.Addr().String(), "--upstream-lost", "local")
	c, command := side.dial(t), []any{"CL.WINDOW", "k", 1000, 3600, "ALIGN"}
	for range 60 {
		require.Equal(t, int64(0), c.Do(command...).([]any)[0])
	}
	proxy.cut(true)
	require.Eventually(t, func() bool { // on a slow machine a part of the wait is over at the first refusal
		answer := c.Do(command...).([]any)
		wait := answer[3].(int64)
		return answer[0] == int64(1) && wait >= 3 && wait <= 5
	}, time.Minute, time.Millisecond, "a refusal ends after a thousandth of an hour")
}
