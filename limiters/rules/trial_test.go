package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplayIsBounded: replays that take too long or too much memory are an error, and leave nothing for the next ones.
func TestReplayIsBounded(t *testing.T) {
	window, err := parse("r", words("CL.WINDOW 1000 60"))
	require.NoError(t, err)
	log, err := parse("r", words("CL.LOG 1000000 60"))
	require.NoError(t, err)
	var all Rules
	replay := func(other *rule, requests []recorded, step int64) (one, two int64, err error) {
		keys, now := make([][]uint64, len(requests)), int64(0)
		for i := range keys {
			keys[i] = []uint64{uint64(i)}
		}
		return all.replay(window, other, requests, keys, func() int64 { now += step; return now })
	}
	few := []recorded{{at: 1, quantity: 1}, {at: 2, quantity: 1001}}
	one, two, err := replay(log, few, MaxReplayNanos/4)
	require.NoError(t, err)
	require.Equal(t, [2]int64{1, 0}, [2]int64{one, two})
	_, _, err = replay(log, few, MaxReplayNanos/3)
	require.Equal(t, ErrReplay, err, "the last request begins too late")

	var many []recorded
	for range 100 {
		many = append(many, recorded{at: 1, quantity: 10000})
	}
	_, _, err = replay(log, many, 0)
	require.Equal(t, ErrReplay, err)
	require.Zero(t, all.replays.Len(0))
	require.Less(t, all.replays.Used(), int64(1<<20))
	one, two, err = replay(window, many, 0)
	require.NoError(t, err)
	require.Equal(t, [2]int64{100, 100}, [2]int64{one, two})
}
