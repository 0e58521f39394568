package pending

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGathering(t *testing.T) {
	var g Gathering
	require.False(t, g.Open())
	require.Zero(t, g.Left(1, 0))
	for range 3 {
		g.Begin(6, 2, 100)
		require.True(t, g.Open())
		require.Equal(t, time.Duration(90), g.Left(7, 10))
		require.Zero(t, g.Left(8, 10), "all have come")
		require.Zero(t, g.Left(7, 100), "it is time")
		require.Zero(t, g.Left(7, 101))
		g.End(0)
		require.True(t, g.Open(), "nothing was proposed")
		g.End(5)
		require.Zero(t, g.Left(7, 10))
	}
	for _, pause := range []int{1, 3, longestPause, longestPause} {
		g.Begin(6, 2, 100)
		require.True(t, g.Open())
		g.End(4)
		for range pause {
			g.Begin(6, 2, 100)
			require.False(t, g.Open(), "the last wait was useless")
		}
	}
	g.Begin(6, 2, 100)
	g.End(5)
	g.Begin(6, 2, 100)
	g.End(4)
	g.Begin(6, 2, 100)
	require.False(t, g.Open())
	g.Begin(6, 2, 100)
	require.True(t, g.Open(), "a useful wait makes the pauses short again")
}
