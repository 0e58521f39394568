package transactions

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestWatch(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	h.Want("WATCH a b", ok)
	other.Want("INCR b", 1)
	h.Want("MULTI", ok)
	h.Want("WATCH c", errWatchInMulti)
	h.Want("INCR a", servertest.Queued)
	h.Want("EXEC", resptest.NilArray)
	h.Want("GET a", nil)

	h.Want("WATCH a b", ok)
	h.Want("UNWATCH", ok)
	other.Want("INCR b", 2)
	h.Want("MULTI", ok)
	h.Want("INCR a", servertest.Queued)
	h.Want("EXEC", []any{1})

	// A limited CL.THROTTLE changes nothing, so it does not dirty the watched key.
	h.Want("CL.THROTTLE t 0 1 60", []any{0, 1, 0, -1, 60})
	h.Want("WATCH t", ok)
	other.Want("CL.THROTTLE t 0 1 60", []any{1, 1, 0, 60, 60})
	h.Want("MULTI", ok)
	h.Want("EXEC", []any{})
}

func TestWatchIsBounded(t *testing.T) {
	h := servertest.New(t, "--client-query-buffer-limit", "1mb")
	for i := 0; h.Status == resp.Continue; i++ {
		h.Send(resptest.Command("WATCH", append(make([]byte, 100_000), byte(i))))
		h.Session.Sent()
	}
	require.Equal(t, resp.Close, h.Status)
	require.Less(t, h.State.Conn().Transaction.Watcher.Bytes(), 1_300_000)
}
