package commands

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const isQueued = resptest.Simple("QUEUED")

func TestMultiExec(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	h.want("MULTI", errNestedMulti)
	h.want("INCR a", isQueued)
	h.want("GET a", isQueued)
	h.want("GET a b", wrongArity("get").(Error))
	h.want("EXEC", errExecAbort)
	h.want("GET a", nil)

	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("CL.THROTTLE a 1 x 1", isQueued)
	h.want("INCRBY b 5", isQueued)
	h.want("EXEC", []any{1, Error("Cell error: Store error: Couldn't parse as integer: x"), 5})
	h.want("EXEC", errExecNoMulti)
	h.want("DISCARD", errDiscardNoMulti)

	h.want("MULTI", ok)
	h.want("EXEC now", Error("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command"))
	h.want("EXEC", errExecNoMulti)
}

func TestDiscard(t *testing.T) {
	h := newHarness(t)
	other := h.client(t)
	h.want("WATCH a", ok)
	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("DISCARD", ok)
	other.want("INCR a", 1)
	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("EXEC", []any{2})
}

func TestWatch(t *testing.T) {
	h := newHarness(t)
	other := h.client(t)
	h.want("WATCH a b", ok)
	other.want("INCR b", 1)
	h.want("MULTI", ok)
	h.want("WATCH c", errWatchInMulti)
	h.want("INCR a", isQueued)
	h.want("EXEC", resptest.NilArray)
	h.want("GET a", nil)

	h.want("WATCH a b", ok)
	h.want("UNWATCH", ok)
	other.want("INCR b", 2)
	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("EXEC", []any{1})

	// A limited CL.THROTTLE changes nothing, so it does not touch.
	h.want("CL.THROTTLE t 0 1 60", []any{0, 1, 0, -1, 60})
	h.want("WATCH t", ok)
	other.want("CL.THROTTLE t 0 1 60", []any{1, 1, 0, 60, 60})
	h.want("MULTI", ok)
	h.want("EXEC", []any{})
}

func TestMultiIsBounded(t *testing.T) {
	h := newHarness(t, "--client-query-buffer-limit", "1mb")
	h.want("MULTI", ok)
	for h.status == resp.Continue {
		h.send(resptest.Command("SET", "k", make([]byte, 100_000)))
		h.session.Sent()
	}
	require.Equal(t, resp.Close, h.status)
	require.Less(t, h.state.multi.bytes, 1_300_000)
}

func TestWatchIsBounded(t *testing.T) {
	h := newHarness(t, "--client-query-buffer-limit", "1mb")
	for i := 0; h.status == resp.Continue; i++ {
		h.send(resptest.Command("WATCH", append(make([]byte, 100_000), byte(i))))
		h.session.Sent()
	}
	require.Equal(t, resp.Close, h.status)
	require.Less(t, h.state.watcher.Bytes(), 1_300_000)
}

// TestTransactionHasOneMoment holds that a clock set inside a transaction counts from its end on.
func TestTransactionHasOneMoment(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v PX 500", ok)
	h.want("MULTI", ok)
	h.want("DEBUG CLOCK ADVANCE 1000000000", isQueued)
	h.want("TIME", isQueued)
	h.want("PTTL k", isQueued)
	h.want("EXEC", []any{ok, []string{"1700000000", "123456"}, 500})
	h.want("PTTL k", -2)
}

// TestInfoInTransaction holds that counting keys takes no lock that the transaction has.
func TestInfoInTransaction(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	h.want("SET a b EX 10", isQueued)
	h.want("INFO keyspace", isQueued)
	h.want("DBSIZE", isQueued)
	h.want("EXEC", []any{ok, "# Keyspace\r\ndb0:keys=1,expires=1,avg_ttl=0\r\n", 1})
}
