package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientUnblock(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT UNBLOCK x", errNotInteger)
	h.want("CLIENT UNBLOCK 1 now", Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"))
	h.want("CLIENT UNBLOCK 1 ERROR x", Error("ERR unknown subcommand or wrong number of arguments for 'UNBLOCK'. Try CLIENT HELP."))
	h.want("CLIENT UNBLOCK 1", 0)
	h.want("CLIENT UNBLOCK 99", 0)

	other := h.client(t)
	reply := other.heldBack("DEBUG SLEEP 10")
	h.want("CLIENT UNBLOCK 2 TIMEOUT", 1)
	h.want("CLIENT UNBLOCK 2", 0)
	require.Equal(t, ok, reply())

	reply = other.heldBack("DEBUG SLEEP 10")
	h.want("CLIENT UNBLOCK 2 ERROR", 1)
	require.Equal(t, other.wire(Error("UNBLOCKED client unblocked via CLIENT UNBLOCK")), reply())
	other.heldBack("DEBUG SLEEP 10")
	require.EqualValues(t, 1, h.server.Blocked())
	other.state.Closed()
	require.Zero(t, h.server.Blocked())
	h.want("CLIENT UNBLOCK 2", 0)
}

func TestClientUnblockLeavesThePausedAlone(t *testing.T) {
	h := newHarness(t)
	other := h.client(t)
	h.do("CLIENT PAUSE 1000 WRITE")
	reply := other.heldBack("INCR k")
	h.want("CLIENT UNBLOCK 2", 0)
	h.do("CLIENT UNPAUSE")
	require.Equal(t, int64(1), reply())
}
