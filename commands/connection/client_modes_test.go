package connection

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestClientNoEvict(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT NO-EVICT on", ok)
	require.Contains(t, h.Do("CLIENT INFO"), " flags=e ")
	h.Want("CLIENT NO-EVICT maybe", commands.ErrSyntax)
	h.Want("CLIENT NO-EVICT off", ok)
	require.Contains(t, h.Do("CLIENT INFO"), " flags=N ")
}

func TestClientNoTouch(t *testing.T) {
	h := servertest.New(t)
	idle := func() int64 {
		tx := h.Store.NewTx()
		var fp store.Footprint
		fp.AddKey([]byte("k"))
		tx.Begin(h.Clock.Now(), 0, &fp)
		defer tx.End()
		e := tx.Peek([]byte("k"))
		return e.Idle()
	}
	h.Do("INCR k")
	h.Want("CLIENT NO-TOUCH on", ok)
	require.Contains(t, h.Do("CLIENT INFO"), " flags=T ")
	h.Advance(10 * time.Second)
	h.Do("GET k")
	require.EqualValues(t, 10, idle())
	h.Want("CLIENT NO-TOUCH off", ok)
	h.Do("GET k")
	require.Zero(t, idle())
	h.Want("CLIENT NO-TOUCH", commands.Error("ERR wrong number of arguments for 'client|no-touch' command"))
}
