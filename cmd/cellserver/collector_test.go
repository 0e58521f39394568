package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 4 << 20: 400, 8 << 20: 200, 16 << 20: 100, 1 << 30: 100, 1 << 40: 100} {
		require.Equal(t, want, percent(live), "%d bytes live", live)
	}
}

// TestTheCollectorFollowsTheHeap fills the heap and empties it.
func TestTheCollectorFollowsTheHeap(t *testing.T) {
	defer debug.SetGCPercent(usual)
	inForce := func(want int) func() bool {
		return func() bool {
			runtime.GC()
			now := debug.SetGCPercent(usual)
			debug.SetGCPercent(now)
			return now == want
		}
	}
	paceCollector()
	require.Eventually(t, inForce(400), time.Minute, time.Millisecond)
	large := make([]byte, 64<<20)
	require.Eventually(t, inForce(usual), time.Minute, time.Millisecond)
	runtime.KeepAlive(large)
	large = nil
	require.Eventually(t, inForce(400), time.Minute, time.Millisecond)
}
