package commands

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

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

func TestWatchIsBounded(t *testing.T) {
	h := newHarness(t, "--client-query-buffer-limit", "1mb")
	for i := 0; h.status == resp.Continue; i++ {
		h.send(resptest.Command("WATCH", append(make([]byte, 100_000), byte(i))))
		h.session.Sent()
	}
	require.Equal(t, resp.Close, h.status)
	require.Less(t, h.state.watcher.Bytes(), 1_300_000)
}
