package server_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestAccountingAllocatesNothing(t *testing.T) {
	h := servertest.New(t)
	call := &commands.Call{Cmd: commands.Lookup([]byte("get")), Conn: h.State.Conn()}
	require.Zero(t, testing.AllocsPerRun(100, func() { h.State.CountCall(call) }))
}

func TestActivity(t *testing.T) {
	h := servertest.New(t)
	for _, line := range []string{"PING", "GET a", "SET a 1", "CONFIG RESETSTAT", "PING"} {
		before := h.Server.Activity()
		h.Do(line)
		require.NotEqual(t, before, h.Server.Activity(), line)
	}
}
