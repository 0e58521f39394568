package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientUnblock(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT UNBLOCK x", commands.ErrNotInteger)
	h.Want("CLIENT UNBLOCK 1 now", commands.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"))
	h.Want("CLIENT UNBLOCK 1 ERROR x", commands.Error("ERR unknown subcommand or wrong number of arguments for 'UNBLOCK'. Try CLIENT HELP."))
	h.Want("CLIENT UNBLOCK 1", 0)
	h.Want("CLIENT UNBLOCK 99", 0)

	other := h.NewClient(t)
	reply := other.HeldBack("DEBUG SLEEP 10")
	h.Want("CLIENT UNBLOCK 2 TIMEOUT", 1)
	h.Want("CLIENT UNBLOCK 2", 0)
	require.Equal(t, ok, reply())

	reply = other.HeldBack("DEBUG SLEEP 10")
	h.Want("CLIENT UNBLOCK 2 ERROR", 1)
	require.Equal(t, other.Wire(commands.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK")), reply())
	other.HeldBack("DEBUG SLEEP 10")
	require.EqualValues(t, 1, h.Server.Blocked())
	other.State.Closed()
	require.Zero(t, h.Server.Blocked())
	h.Want("CLIENT UNBLOCK 2", 0)
}

func TestClientUnblockIgnoresPausedClients(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	h.Do("CLIENT PAUSE 1000 WRITE")
	reply := other.HeldBack("INCR k")
	h.Want("CLIENT UNBLOCK 2", 0)
	h.Do("CLIENT UNPAUSE")
	require.Equal(t, int64(1), reply())
}
