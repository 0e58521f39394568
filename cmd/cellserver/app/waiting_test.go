package app

import (
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// waitBlocked waits until n clients wait.
func (in *instance) waitBlocked(t *testing.T, n int64) {
	t.Helper()
	require.Eventually(t, func() bool { return in.server.Blocked() == n }, timeout, time.Millisecond)
}

// Commands that wait follow the logical clock, also one that stands.
func TestTheTestClockWakes(t *testing.T) {
	in := start(t)
	admin, c := in.dial(t), in.dial(t)
	ok(t, admin, "DEBUG", "CLOCK", "SET", 1_000_000_000)
	c.Send("WAIT", 1, 10)
	in.waitBlocked(t, 1)
	ok(t, admin, "DEBUG", "CLOCK", "ADVANCE", 9_999_999)
	in.waitBlocked(t, 1)
	ok(t, admin, "DEBUG", "CLOCK", "ADVANCE", 1)
	require.EqualValues(t, 0, c.Recv())

	c.Send("WAIT", 1, 10)
	in.waitBlocked(t, 1)
	ok(t, admin, "DEBUG", "CLOCK", "RESUME")
	require.EqualValues(t, 0, c.Recv())

	begun := time.Now()
	require.EqualValues(t, 0, c.Do("WAIT", 1, 20))
	require.GreaterOrEqual(t, time.Since(begun), 20*time.Millisecond)
	ok(t, c, "DEBUG", "SLEEP", "0.02")
}

// TestALowerMaxmemoryEvicts: memory is within a lower maxmemory soon, also if no command follows CONFIG SET.
func TestALowerMaxmemoryEvicts(t *testing.T) {
	in := start(t, "--maxmemory-policy", "allkeys-lru", "--notify-keyspace-events", "Ee")
	admin, listens := in.dial(t), in.dial(t)
	ok(t, admin, "SET", "foo", "bar")
	listens.Do("PSUBSCRIBE", "*")
	ok(t, admin, "CONFIG", "SET", "maxmemory", 1)
	require.Equal(t, []any{"pmessage", "*", "__keyevent@0__:evicted", "foo"}, listens.Recv())
}

func TestWaitingClientsAreWoken(t *testing.T) {
	in := start(t)
	admin, c := in.dial(t), in.dial(t)
	id := c.Do("CLIENT", "ID")
	c.Send("WAIT", 1, 0)
	in.waitBlocked(t, 1)
	require.EqualValues(t, 1, admin.Do("CLIENT", "UNBLOCK", id, "ERROR"))
	require.Equal(t, resptest.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK"), c.Recv())

	ok(t, admin, "CLIENT", "PAUSE", 20, "WRITE")
	require.EqualValues(t, 1, c.Do("INCR", "k"), "the pause ends by itself")
	ok(t, admin, "CLIENT", "PAUSE", 600_000, "WRITE")
	c.Send("INCR", "k")
	in.waitBlocked(t, 1)
	ok(t, admin, "CLIENT", "UNPAUSE")
	require.EqualValues(t, 2, c.Recv())

	c.Send("WAIT", 1, 0)
	in.waitBlocked(t, 1)
	require.EqualValues(t, 1, admin.Do("CLIENT", "KILL", "ID", id))
	in.waitBlocked(t, 0)
	require.Empty(t, c.ReadAll())
}
