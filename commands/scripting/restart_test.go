package scripting

import (
	"fmt"
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// effects remembers the transactions.
type effects struct{ all [][]string }

func (e *effects) Committed(_ *store.Tx, effects []store.Effect) {
	var keys []string
	for i := range effects {
		keys = append(keys, string(effects[i].Key))
	}
	e.all = append(e.all, keys)
}

// TestUndeclaredKeys: a script that uses a key that it has not declared begins again. What it did before counts once.
func TestUndeclaredKeys(t *testing.T) {
	for _, keys := range []int{0, 1, 2} {
		h := servertest.New(t)
		var log effects
		h.Store.Observe(&log)
		h.Want("SET text abc", ok)
		h.Want("ZADD z 1 a", 1)
		log.all = nil
		script := `redis.call('incr', KEYS[1] or 'n')
			redis.call('append', KEYS[2] or 'text', 'd')
			redis.call('zadd', 'z', 2, 'b')
			redis.call('incr', 'undeclared')
			return redis.call('mget', 'n', 'text', 'undeclared')`
		for i, text := range []string{"abcd", "abcdd", "abcddd"} {
			n := fmt.Sprint(i + 1)
			args := append([]any{}, []any{"n", "text"}[:keys]...)
			require.Equal(t, []any{n, text, n}, send(h.Client, "EVAL", script, keys, args...))
		}
		require.Equal(t, [][]string{{"n", "text", "z", "undeclared"}, {"n", "text", "undeclared"}, {"n", "text", "undeclared"}}, log.all)
		h.Want("ZCARD z", 2)
	}
}

// TestLongScripts: a script that takes long begins again where it keeps nobody else waiting. What it did before counts once.
func TestLongScripts(t *testing.T) {
	h := servertest.New(t)
	script := "redis.call('incr', KEYS[1]) local n = 0 for i = 1, 100000 do n = n + 1 end return {n, redis.call('get', KEYS[1])}"
	for i := range 3 {
		require.Equal(t, h.Wire([]any{100000, fmt.Sprint(i + 1)}), send(h.Client, "EVAL", script, 1, "n"))
	}
	h.Session.SetMayOffload(true)
	h.Send(resptest.Command("EVAL", script, 1, "n"))
	require.Equal(t, resp.Offload, h.Status)
	require.Equal(t, resp.Continue, h.Session.Resume())
	h.Session.Sent()
	h.Want("GET n", "4")
}

// TestFlushInScripts takes FLUSHALL back, and does it again.
func TestFlushInScripts(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET a 1", ok)
	h.Want("SET b 1", ok)
	require.Equal(t, servertest.OK, send(h.Client, "EVAL", "redis.call('incr', KEYS[1]) return redis.call('flushall')", 1, "a"))
	h.Want("DBSIZE", 0)
	require.Equal(t, 1, h.Disk.Flushes)
}
