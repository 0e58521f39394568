package commands

import (
	"testing"
	"time"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestClientNoEvict(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT NO-EVICT on", ok)
	require.Contains(t, h.do("CLIENT INFO"), " flags=e ")
	h.want("CLIENT NO-EVICT maybe", errSyntax)
	h.want("CLIENT NO-EVICT off", ok)
	require.Contains(t, h.do("CLIENT INFO"), " flags=N ")
}

func TestClientNoTouch(t *testing.T) {
	h := newHarness(t)
	idle := func() int64 {
		tx := h.server.Store.NewTx()
		var fp store.Footprint
		fp.AddKey([]byte("k"))
		tx.Begin(h.clock.Now(), 0, &fp)
		defer tx.End()
		e := tx.Peek([]byte("k"))
		return e.Idle()
	}
	h.do("INCR k")
	h.want("CLIENT NO-TOUCH on", ok)
	require.Contains(t, h.do("CLIENT INFO"), " flags=T ")
	h.advance(10 * time.Second)
	h.do("GET k")
	require.EqualValues(t, 10, idle())
	h.want("CLIENT NO-TOUCH off", ok)
	h.do("GET k")
	require.Zero(t, idle())
	h.want("CLIENT NO-TOUCH", Error("ERR wrong number of arguments for 'client|no-touch' command"))
}
