package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestSidecarKnowsItsClients: a client has one id, whatever it has sent before. CLIENT LIST shows it with its user, and CLIENT KILL
// ends it.
func TestSidecarKnowsItsClients(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~*", "&*", "+@all")
	side := startSidecar(t, hub)
	for _, state := range []string{"PING", "MULTI|EXEC", "MULTI|DISCARD", "WATCH k", "SELECT 3", "DEBUG SLEEP 0", "BLPOP none 0.001", "WAIT 0 0",
		"HELLO 3|CLIENT TRACKING ON", "CLIENT NO-TOUCH ON", "READONLY", "SELECT 1|HELLO 3", "SET k " + strings.Repeat("x", 2<<20)} {
		c, other := side.dial(t), side.dial(t)
		ok(t, c, "AUTH", "ann", "a")
		id := c.Do("CLIENT", "ID").(int64)
		for _, words := range strings.Split(state, "|") {
			c.Do(fields(words)...)
		}
		require.Equal(t, id, c.Do("CLIENT", "ID"), state)
		list := other.Do("CLIENT", "LIST", "ID", id).(string)
		require.Contains(t, list, " user=ann ", state)
		require.Contains(t, fmt.Sprint(c.Do("CLIENT", "INFO")), fmt.Sprintf("id=%d ", id), state)
		require.Contains(t, fmt.Sprint(c.Do("CLIENT", "LIST")), strings.Fields(list)[1], state)
		require.Equal(t, int64(1), other.Do("CLIENT", "KILL", "ID", id), state)
		requireClosed(t, c)
	}
	ann, bob := side.dial(t), side.dial(t)
	ok(t, ann, "AUTH", "ann", "a")
	ok(t, ann, "SELECT", 5)
	require.Equal(t, resptest.Error("ERR DB index is out of range"), ann.Do("SELECT", 99))
	require.Contains(t, ann.Do("CLIENT", "INFO"), " db=5 ")
	require.Equal(t, int64(1), bob.Do("CLIENT", "KILL", "USER", "ann"))
	requireClosed(t, ann)
	require.Contains(t, bob.Do("CLIENT", "INFO"), " user=default ")
}

func fields(words string) (all []any) {
	for _, word := range strings.Fields(words) {
		all = append(all, word)
	}
	return all
}

// TestSidecarKeepsTheOrderOfAState: the replies of a client with a state come in their order, also those that the sidecar gives.
func TestSidecarKeepsTheOrderOfAState(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c := side.dial(t)
	c.Do("HELLO", 3)
	id := c.Do("CLIENT", "ID")
	ok(t, c, "CLIENT", "TRACKING", "ON")
	c.Do("GET", "n")
	const rounds = 200
	go func() {
		for i := range rounds {
			for _, words := range [][]any{{"MULTI"}, {"PING", i}, {"SET", "n", i}, {"EXEC"}, {"CLIENT", "ID"}, {"GET", "n"}, {"PING"}, {"NOSUCH"}} {
				c.Write(resptest.Command(words...))
			}
		}
	}()
	pushed := 0
	recv := func() any {
		for {
			got := c.Recv()
			if push, is := got.(resptest.Push); !is {
				return got
			} else if require.Equal(t, "invalidate", push[0]); true {
				pushed++
			}
		}
	}
	for i := range rounds {
		require.Equal(t, resptest.Simple("OK"), recv())
		require.Equal(t, resptest.Simple("QUEUED"), recv())
		require.Equal(t, resptest.Simple("QUEUED"), recv())
		require.Equal(t, []any{strconv.Itoa(i), resptest.Simple("OK")}, recv())
		require.Equal(t, id, recv())
		require.Equal(t, strconv.Itoa(i), recv())
		require.Equal(t, resptest.Simple("PONG"), recv())
		require.Contains(t, recv(), resptest.Error("ERR unknown command 'NOSUCH'"))
	}
	require.GreaterOrEqual(t, pushed, rounds-1)
}

// TestSidecarRefusesForeignIDs: where only the hub could answer about a client, it would answer about another one. The transaction is
// refused, too.
func TestSidecarRefusesForeignIDs(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c := side.dial(t)
	for _, personal := range []string{"CLIENT ID", "CLIENT LIST", "CLIENT KILL ID 1", "HELLO 3", "AUTH x y"} {
		ok(t, c, "MULTI")
		require.Contains(t, c.Do(fields(personal)...), "through a sidecar inside MULTI", personal)
		require.Contains(t, c.Do("EXEC"), resptest.Error("EXECABORT"), personal)
	}
	c.Do("HELLO", 3)
	c.Send("SUBSCRIBE", "x")
	require.Equal(t, resptest.Push{"subscribe", "x", int64(1)}, c.Recv())
	require.Contains(t, c.Do("CLIENT", "ID"), "client|id through a sidecar after SUBSCRIBE")
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
}

// TestSidecarUserOfAState: AUTH and HELLO change the user of a client with a state, and the state stays.
func TestSidecarUserOfAState(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~a:*", "+@all")
	ok(t, admin, "ACL", "SETUSER", "bob", "on", ">b", "~b:*", "+@all")
	side := startSidecar(t, hub)
	c := side.dial(t)
	ok(t, c, "AUTH", "ann", "a")
	ok(t, c, "SELECT", 3)
	ok(t, c, "SET", "a:1", 3)
	require.Contains(t, c.Do("AUTH", "bob", "wrong"), resptest.Error("WRONGPASS"))
	require.Equal(t, "3", c.Do("GET", "a:1"))
	ok(t, c, "AUTH", "bob", "b")
	require.Contains(t, c.Do("GET", "a:1"), resptest.Error("NOPERM"))
	ok(t, c, "SET", "b:1", 4)
	hello := c.Do("HELLO", 3, "AUTH", "ann", "a").(resptest.Map)
	require.Contains(t, hello, resptest.Pair{Key: "id", Value: c.Do("CLIENT", "ID")})
	require.Equal(t, "3", c.Do("GET", "a:1"))
	c.Do("HSET", "a:h", "f", "v")
	require.Equal(t, resptest.Map{{Key: "f", Value: "v"}}, c.Do("HGETALL", "a:h"))
	ok(t, admin, "SELECT", 3)
	require.Equal(t, "4", admin.Do("GET", "b:1"))
}

// TestSidecarStateWithoutHub: a transaction that has not begun is an error, and the client stays. One that has begun ends its client.
func TestSidecarStateWithoutHub(t *testing.T) {
	hub := start(t)
	proxy := newCut(t, hub.Addr().String())
	side := startSidecarOf(t, proxy.Addr().String())
	c, begun, listens := side.dial(t), side.dial(t), side.dial(t)
	ok(t, begun, "MULTI")
	proxy.cut(true)
	requireClosed(t, begun)
	for _, words := range []string{"MULTI", "INCR n", "EXEC"} {
		c.Write(resptest.Command(fields(words)...))
	}
	for range 3 {
		require.Contains(t, c.Recv(), resptest.Error("NOHUB the hub does not answer"))
	}
	require.Contains(t, listens.Do("SUBSCRIBE", "x"), resptest.Error("NOHUB the hub does not answer"))
	proxy.cut(false)
	require.Eventually(t, func() bool { return c.Do("MULTI") == resptest.Simple("OK") }, timeout, 10*time.Millisecond)
	require.Equal(t, resptest.Simple("QUEUED"), c.Do("INCR", "n"))
	require.Equal(t, []any{int64(1)}, c.Do("EXEC"))
	require.Equal(t, []any{"subscribe", "x", int64(1)}, listens.Do("SUBSCRIBE", "x"))
}

// TestSidecarHoldsLongReplies: a client that does not read makes its own connection wait, and gets all in the end.
func TestSidecarHoldsLongReplies(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub, "--client-output-buffer-limit", "normal 16mb 0 0")
	c := side.dial(t)
	ok(t, c, "SET", "k", strings.Repeat("x", 4<<20))
	ok(t, c, "SELECT", 0)
	for range 16 {
		c.Write(resptest.Command("GET", "k"))
	}
	time.Sleep(100 * time.Millisecond)
	for range 16 {
		require.Len(t, c.Recv(), 4<<20)
	}
}

// TestSidecarShowsTheKeysOfTheHub: INFO of a sidecar has the keys of the hub, and the commands that it ran, because a sidecar has
// none itself.
func TestSidecarShowsTheKeysOfTheHub(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c := side.dial(t)
	ok(t, c, "SET", "k", 1)
	want := hub.dial(t).Do("INFO", "keyspace")
	require.Contains(t, want, "db0:keys=1")
	require.Equal(t, want, c.Do("INFO", "keyspace"))
	all := c.Do("INFO").(string)
	require.Contains(t, all, want)
	require.Contains(t, all, "# Sidecar\r\n")
	require.Contains(t, all, "# Cluster\r\ncluster_enabled:0\r\n\r\n# Throttle\r\n")
	require.NotContains(t, c.Do("INFO", "server"), "Keyspace")
	require.Contains(t, c.Do("INFO", "commandstats"), "cmdstat_set:calls=1,")
	c.Do("HELLO", 3)
	require.Equal(t, resptest.Verbatim{Format: "txt", Text: want.(string)}, c.Do("INFO", "keyspace"))
}

// TestShutdownOfASidecarSparesTheHub: SHUTDOWN stops the process that a client is connected to. It ended the hub, and so the limits of
// all other sidecars.
func TestShutdownOfASidecarSparesTheHub(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "bob", "on", ">b", "~*", "+@all", "-shutdown")
	side := startSidecar(t, hub)
	bob := side.dial(t)
	ok(t, bob, "AUTH", "bob", "b")
	require.Contains(t, bob.Do("SHUTDOWN"), resptest.Error("NOPERM"))
	c := side.dial(t)
	require.Equal(t, resptest.Error("ERR No shutdown in progress."), c.Do("SHUTDOWN", "ABORT"))
	require.Equal(t, resptest.Error("ERR syntax error"), c.Do("SHUTDOWN", "SIDECAR"))
	c.Send("SHUTDOWN")
	side.wait(t)
	require.Equal(t, resptest.Simple("PONG"), admin.Do("PING"))
}

// TestShutdownOfAStreamSparesTheHub: all that a client sends after SUBSCRIBE, MONITOR or CLIENT REPLY goes to the hub, and SHUTDOWN
// inside MULTI, too. The hub refuses it there.
func TestShutdownOfAStreamSparesTheHub(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	for _, state := range []string{"SUBSCRIBE x", "MONITOR", "CLIENT REPLY ON", "MULTI"} {
		c := side.dial(t)
		c.Do("HELLO", 3)
		c.Send(fields(state)...)
		c.Recv()
		require.Contains(t, c.Do("SHUTDOWN"), "shutdown through a sidecar ", state)
	}
	require.Equal(t, resptest.Simple("PONG"), hub.dial(t).Do("PING"))
}

// TestShutdownOfASidecarSavesNothing: a sidecar has no keys, and its snapshot would replace one that another server left in the
// directory.
func TestShutdownOfASidecarSavesNothing(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump.rdb")
	require.NoError(t, os.WriteFile(dump, []byte("keys"), 0o600))
	side := startSidecar(t, start(t), "--dir", filepath.Dir(dump))
	c := side.dial(t)
	c.Send("BLPOP", "none", "0.05")
	c.Send("SHUTDOWN", "SAVE")
	c.Recv() // the replies to earlier commands come before the end
	side.wait(t)
	held, err := os.ReadFile(dump)
	require.NoError(t, err)
	require.Equal(t, "keys", string(held))
}
