package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGathering(t *testing.T) {
	var g gathering
	require.False(t, g.open.Load())
	require.Zero(t, g.left(1, 0))
	for range 3 {
		g.begin(6, 2, 100)
		require.True(t, g.open.Load())
		require.Equal(t, time.Duration(90), g.left(7, 10))
		require.Zero(t, g.left(8, 10), "all have come")
		require.Zero(t, g.left(7, 100), "it is time")
		require.Zero(t, g.left(7, 101))
		g.end(0)
		require.True(t, g.open.Load(), "nothing was proposed")
		g.end(5)
		require.Zero(t, g.left(7, 10))
	}
	for _, pause := range []int{1, 3, longestPause, longestPause} {
		g.begin(6, 2, 100)
		require.True(t, g.open.Load())
		g.end(4)
		for range pause {
			g.begin(6, 2, 100)
			require.False(t, g.open.Load(), "the last wait was useless")
		}
	}
	g.begin(6, 2, 100)
	g.end(5)
	g.begin(6, 2, 100)
	g.end(4)
	g.begin(6, 2, 100)
	require.False(t, g.open.Load())
	g.begin(6, 2, 100)
	require.True(t, g.open.Load(), "a useful wait makes the pauses short again")
}
