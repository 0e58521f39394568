package server_test

import (
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailedWithoutCommand holds that a fault beside any command is logged like others.
func TestFailedWithoutCommand(t *testing.T) {
	h := servertest.New(t)
	h.Do("nosuch")
	h.State.Failed("a fault", []byte("its stack"))
	require.Equal(t, int64(1), h.Server.Panics())
}

// TestRequestsAreLetGo holds that what an idle client sent last can be collected.
func TestRequestsAreLetGo(t *testing.T) {
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
