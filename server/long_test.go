package server_test

import (
	"strings"
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestABatchEndsInTime: the other clients of an event loop wait for a batch, so a batch that takes longer than 5 ms ends
// with its running command.
func TestABatchEndsInTime(t *testing.T) {
	h := servertest.New(t)
	s := h.Session
	pipeline := "DEBUG CLOCK ADVANCE 4000000\r\nPING\r\nDEBUG CLOCK ADVANCE 1000001\r\nECHO next\r\nPING\r\n"
	st := s.Filled(copy(s.Space(), pipeline))
	require.Equal(t, resp.Flush, st)
	require.Equal(t, 1, strings.Count(string(s.Output()), "PONG"))
	require.NotContains(t, string(s.Output()), "next")
	s.Sent()
	require.Equal(t, resp.Continue, s.Resume())
	require.Equal(t, "$4\r\nnext\r\n+PONG\r\n", string(s.Output()))
}

// TestLongBatchesOverAConnection: the replies of many batches keep their order.
func TestLongBatchesOverAConnection(t *testing.T) {
	h := servertest.New(t)
	c := resptest.Dial(t, listen(t, h))
	const n = 200
	for range n {
		c.Send("DEBUG", "CLOCK", "ADVANCE", 6_000_000)
		c.Send("INCR", "n")
		c.Send("MULTI")
		c.Send("INCR", "n")
		c.Send("EXEC")
	}
	for i := range int64(n) {
		require.NotNil(t, c.Recv())
		require.Equal(t, 2*i+1, c.Recv())
		require.Equal(t, servertest.OK, c.Recv())
		require.Equal(t, servertest.Queued, c.Recv())
		require.Equal(t, []any{2*i + 2}, c.Recv())
	}
}

// TestNobodyWaitsForALongCommandInALoop: a command on the partition of a long command is offloaded, whatever it is.
func TestNobodyWaitsForALongCommandInALoop(t *testing.T) {
	h := servertest.New(t)
	c := h.NewClient(t)
	c.Do("WATCH a")
	for _, line := range []string{"INCR a", "MSET b 1 a 1", "EXEC wrong", "WATCH a b", "UNWATCH"} {
		var fp store.Footprint
		fp.AddKey([]byte("a"))
		long := h.Store.NewTx()
		long.BeginLong(h.Clock.Now(), 0, &fp)
		c.Session.SetMayOffload(true)
		c.Send([]byte(line + "\r\n"))
		require.Equal(t, resp.Offload, c.Status, line)
		h.Want("INCR other", int64(1))
		long.End()
		c.Session.SetMayOffload(false)
		require.Equal(t, resp.Continue, c.Session.Resume(), line)
		require.NotEmpty(t, c.Session.Output(), line)
		c.Session.Sent()
		h.Do("DEL a b other")
	}
}
