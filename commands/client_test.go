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
