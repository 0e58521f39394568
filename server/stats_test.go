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
