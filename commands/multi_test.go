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
