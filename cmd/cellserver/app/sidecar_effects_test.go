package app

import (
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestSidecarForgetsRefusals: what a client changes through a sidecar has its effect on the next request, although the sidecar
// remembers refusals.
func TestSidecarForgetsRefusals(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c := side.dial(t)
	ok(t, c, "CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	window, rule := []any{"CL.WINDOW", "k", 1, 3600}, []any{"CL.CHECK", "api", "ann"}
	limited := func(command []any) any { return c.Do(command...).([]any)[0] }
	use := func(command []any) {
		for limited(command) == int64(0) {
		}
		asked := hub.calls(t, "cl.window") + hub.calls(t, "cl.check")
		require.Equal(t, int64(1), limited(command), "remembered")
		require.Equal(t, asked, hub.calls(t, "cl.window")+hub.calls(t, "cl.check"))
	}
	inside := func(does []any) {
		ok(t, c, "MULTI")
		require.Equal(t, resptest.Simple("QUEUED"), c.Do(does...))
		require.Len(t, c.Do("EXEC"), 1)
		require.Equal(t, resptest.Simple("RESET"), c.Do("RESET"))
	}
	const takeOne = "return redis.call('DECR', KEYS[1])"
	for _, change := range []struct{ limit, does []any }{
		{window, []any{"DEL", "k"}}, {window, []any{"UNLINK", "other", "k"}}, {window, []any{"EVAL", takeOne, 1, "k"}},
		{window, append(window, -1)}, {rule, []any{"CL.RULE", "RESET", "api", "ann"}}, {window, []any{"FLUSHALL"}},
	} {
		use(change.limit)
		c.Do(change.does...)
		require.Equal(t, int64(0), limited(change.limit), change.does)
		use(change.limit)
		inside(change.does)
		require.NotZero(t, c.Do(append(change.limit, "QUANTITY", 0)...).([]any)[2], change.does)
		require.Equal(t, int64(0), limited(change.limit), change.does)
	}
	set := func(limit int) []any { return []any{"CL.RULE", "SET", "api", "CL.WINDOW", limit, 3600} }
	ok(t, c, set(1)...)
	use(rule)
	ok(t, c, set(2)...)
	require.Equal(t, int64(0), limited(rule))
	use(rule)
	inside(set(3))
	require.Equal(t, int64(0), limited(rule))
	use(rule)
	require.Equal(t, int64(1), c.Do("CL.RULE", "DEL", "api"))
	require.Contains(t, c.Do(rule...), resptest.Error("ERR "), "the rule is no longer known here, either")
}

// TestSidecarKnowsTheDatabase: SELECT inside MULTI selects with EXEC, and not with DISCARD.
func TestSidecarKnowsTheDatabase(t *testing.T) {
	hub := start(t)
	c := startSidecar(t, hub).dial(t)
	for end, db := range map[string]string{"EXEC": " db=7 ", "DISCARD": " db=2 "} {
		ok(t, c, "SELECT", 2)
		ok(t, c, "MULTI")
		require.Equal(t, resptest.Simple("QUEUED"), c.Do("SELECT", 7))
		c.Do(end)
		require.Contains(t, c.Do("CLIENT", "INFO"), db, end)
	}
}

// TestSidecarOfShortCommands: a command with too few words is an error of the hub inside MULTI, and the client stays.
func TestSidecarOfShortCommands(t *testing.T) {
	hub := start(t)
	c := startSidecar(t, hub).dial(t)
	for _, name := range []string{"SELECT", "DEL", "EVAL", "CL.CHECK", "CL.RULE SET"} {
		ok(t, c, "MULTI")
		require.Contains(t, c.Do(fields(name)...), "wrong number of arguments", name)
		require.Contains(t, c.Do("EXEC"), resptest.Error("EXECABORT"), name)
	}
}

// TestSidecarSaysWhen: the first refusal after the last units of a limit says when there are more. A sidecar of a busy machine may
// have given units back. Then it asks again within a second.
func TestSidecarSaysWhen(t *testing.T) {
	hub := start(t)
	c, admin := startSidecar(t, hub).dial(t), hub.dial(t)
	for _, limiter := range []string{"CL.WINDOW", "CL.LOG"} {
		for range 400 {
			answer := c.Do(limiter, limiter, 200, 3600).([]any)
			if answer[0] == int64(1) && answer[3].(int64) <= 1000 {
				require.NotZero(t, admin.Do(limiter, limiter, 200, 3600, "QUANTITY", 0).([]any)[2], limiter)
			}
		}
	}
	require.NotZero(t, hub.calls(t, "cl.lease"))
}

// TestSidecarForgetsWhateverTheReply: a script may write and have no reply, or an error. SWAPDB names no key.
func TestSidecarForgetsWhateverTheReply(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	const deletes = "redis.call('DEL', KEYS[1]) "
	for _, proto := range []int{2, 3} {
		c := side.dial(t)
		c.Do("HELLO", proto)
		use := func() any { return c.Do("CL.WINDOW", "k", 1, 3600).([]any)[0] }
		for _, change := range [][]any{
			{"EVAL", deletes, 1, "k"}, {"EVAL", deletes + "error('x')", 1, "k"}, {"SWAPDB", 0, proto},
		} {
			for use() == int64(0) {
			}
			require.Equal(t, int64(1), use(), "remembered")
			c.Do(change...)
			require.Equal(t, int64(0), use(), "%d %v", proto, change)
		}
	}
}

// TestSidecarLeasesOfOtherDatabases: limits are leased in database 0. What happens in another one ends no lease, also inside MULTI.
func TestSidecarLeasesOfOtherDatabases(t *testing.T) {
	hub := start(t)
	c := startSidecar(t, hub).dial(t)
	window := func() any { return c.Do("CL.WINDOW", "k", 5000, 3600) }
	after := func(does string) (remaining any, asked int) {
		for range 100 {
			window()
		}
		for command := range strings.SplitSeq(does, ";") {
			c.Do(fields(strings.TrimSpace(command))...)
		}
		before := hub.calls(t, "cl.window")
		return window().([]any)[2], hub.calls(t, "cl.window") - before
	}
	for _, does := range []string{
		"SELECT 5; SET k 1; DEL k; SET k 1; RENAME k j; FLUSHDB; RESET", "SELECT 5; SET k 1; MOVE k 6; SET k 1; MOVE k 0; RESET",
		"SELECT 5; SET k 1; MULTI; DEL k; FLUSHDB; EXEC; RESET", "MULTI; SELECT 5; SET k 1; DEL k; FLUSHDB; EXEC; RESET",
		"SWAPDB 5 6", "SWAPDB 0 0", "SWAPDB 0 99", "COPY k k DB 5", "MULTI; SWAPDB 5 6; COPY k k DB 7; EXEC; RESET", "SELECT 0; SELECT 5; EXPIRE k 0; RESET",
	} {
		for try := 1; ; try++ { // the lease may end meanwhile on a busy machine
			if _, asked := after(does); asked == 0 {
				break
			}
			require.Less(t, try, 50, does)
		}
	}
	for _, does := range []string{
		"SELECT 5; MULTI; SELECT 0; DEL k; EXEC; RESET", "MULTI; SELECT 99; FLUSHDB; EXEC; RESET",
		"SELECT 8; DEL k; RESET; MOVE k 8", "SELECT 9; FLUSHDB; RESET; SWAPDB 9 0", "SELECT 9; FLUSHALL; RESET",
		"SELECT 9; SET s 1 EX 100; COPY s k DB 0 REPLACE; SELECT 0; DEL k; RESET",
		"SELECT 9; MULTI; FLUSHALL; EXEC; RESET", "SELECT 5; SELECT 0; FLUSHDB; RESET",
	} {
		for try := 1; ; try++ { // a question that was under way may have leased units of the new window
			if remaining, _ := after(does); remaining == int64(4999) {
				break
			}
			require.Less(t, try, 50, does)
		}
	}
}
