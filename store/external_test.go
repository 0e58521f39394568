package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUsedCountsWhatOthersHold: eviction makes room for bytes outside the store.
func TestUsedCountsWhatOthersHold(t *testing.T) {
	s, held := New(Options{Databases: 1, Seed: 1}), int64(0)
	s.CountExternal(func() int64 { return held })
	fill(s, 1000, testNow, 1e9)
	used, ofHeap := s.Used(), s.UsedOfHeap()
	held = 10_000
	require.Equal(t, used+held, s.Used())
	require.Equal(t, ofHeap+held, s.UsedOfHeap())
	for s.Used() > used {
		require.True(t, s.Evict(testNow, AllKeysRandom, 5, used))
	}
	require.LessOrEqual(t, s.Used(), used)
	require.Less(t, s.Len(0), 1000)
}
