package server_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/commands/commandtest"

	"github.com/stretchr/testify/require"
)

func TestAccountingAllocatesNothing(t *testing.T) {
	h := commandtest.New(t)
	call := &commands.Call{Cmd: commands.Lookup([]byte("get")), Conn: h.State.Conn()}
	require.Zero(t, testing.AllocsPerRun(100, func() { h.State.Account(call) }))
}
