package commands

import (
	"fmt"
	"testing"
	"time"

	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

func TestWait(t *testing.T) {
	h := newHarness(t)
	h.want("WAIT 0 1000", 0)
	h.want("WAIT -1 0", 0)
	h.want("WAIT a 1", errNotInteger)
	h.want("WAIT 1 b", Error("ERR timeout is not an integer or out of range"))
	h.want("WAIT 1 -1", Error("ERR timeout is negative"))
	h.do("MULTI")
	h.do("WAIT 1 0")
	h.want("EXEC", []any{0})

	reply := h.heldBack("WAIT 1 1500")
	h.advance(1499 * time.Millisecond)
	require.Equal(t, resp.Retry, h.session.Resume())
	h.advance(time.Millisecond)
	require.EqualValues(t, 0, reply())
}

func TestWaitForEver(t *testing.T) {
	h := newHarness(t)
	for _, timeout := range []string{"0", "9223372036854775807"} {
		other := h.client(t)
		reply := other.heldBack("WAIT 1 " + timeout)
		h.advance(24 * time.Hour)
		require.Equal(t, resp.Retry, other.session.Resume())
		h.want(fmt.Sprintf("CLIENT UNBLOCK %d", other.state.ID), 1)
		require.EqualValues(t, 0, reply())
	}
}
