package scripts

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShares takes memory for two runs: together they get the limit, and what one gives back the other can take.
func TestShares(t *testing.T) {
	var all shared
	a, b := share{of: &all, limit: 100}, share{of: &all, limit: 100}
	require.True(t, a.more(60))
	require.True(t, b.more(40))
	require.False(t, b.more(1))
	require.Equal(t, int64(100), all.taken.Load(), "a refusal takes nothing")
	a.giveBack()
	a.giveBack()
	require.True(t, b.more(60))
	b.giveBack()
	require.Zero(t, all.taken.Load())
}
