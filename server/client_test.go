package server_test

import (
	"cellserver/server/servertest"
	"testing"

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
