package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailedWithoutCommand holds that a fault beside any command is logged like others.
func TestFailedWithoutCommand(t *testing.T) {
	h := newHarness(t)
	h.do("nosuch")
	h.state.Failed("a fault", []byte("its stack"))
	require.Equal(t, int64(1), h.server.totals.panics.Load())
}

// TestRequestsAreLetGo holds that what an idle client sent last can be collected.
func TestRequestsAreLetGo(t *testing.T) {
	h := newHarness(t)
	h.do("SET k v")
	require.Nil(t, h.state.call.Args)
	h.do("MULTI")
	h.do("SET k v")
	require.Nil(t, h.state.call.Args)
	h.do("EXEC")
	require.Nil(t, h.state.inner.Args)
	h.do("nosuch a")
	require.Nil(t, h.state.call.Args)
}
