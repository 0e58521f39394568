package server_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestFailedWithoutCommand: a panic outside a command is logged like any other.
func TestFailedWithoutCommand(t *testing.T) {
	h := servertest.New(t)
	h.Do("nosuch")
	h.State.Failed("a fault", []byte("its stack"))
	require.Equal(t, int64(1), h.Server.Panics())
}

// TestIdleClientsKeepNoRequest: the last request of an idle client can be collected.
func TestIdleClientsKeepNoRequest(t *testing.T) {
	h := servertest.New(t)
	h.Do("SET k v")
	require.Nil(t, h.State.LastArgs())
	h.Do("MULTI")
	h.Do("SET k v")
	require.Nil(t, h.State.LastArgs())
	h.Do("EXEC")
	require.Nil(t, h.State.LastArgs())
	h.Do("nosuch a")
	require.Nil(t, h.State.LastArgs())
}

// TestPanicsOfCommandsInScripts: the caller learns of the panic of a command, and a key without memory is a
// reply.
func TestPanicsOfCommandsInScripts(t *testing.T) {
	h := servertest.New(t)
	h.Do("PING")
	run := func(reason any) (panicked any, reply string) {
		out := resp.Writer{Proto: 2}
		cmd := *commands.Lookup([]byte("ping"))
		cmd.Run = func(*commands.Call) error { panic(reason) }
		args := [][]byte{[]byte("ping")}
		panicked = h.State.RunInScript(&commands.Call{Cmd: &cmd, Args: args, Out: &out, InScript: true})
		return panicked, string(out.Bytes())
	}
	panicked, reply := run("a fault")
	require.Contains(t, panicked, "a fault, in a script: ")
	require.Contains(t, panicked, "TestPanicsOfCommandsInScripts")
	require.Empty(t, reply)
	panicked, reply = run(store.ErrExhausted)
	require.Nil(t, panicked)
	require.Contains(t, reply, "-OOM")
}
