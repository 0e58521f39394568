package rules

import (
	"testing"

	"cellserver/limiters/ruleset"

	"github.com/stretchr/testify/require"
)

// TestReplayIsBounded: replays that take too long or too much memory are an error, and leave nothing for the
// next ones.
func TestReplayIsBounded(t *testing.T) {
	window, err := ruleset.Parse("r", words("CL.WINDOW 1000 60"))
	require.NoError(t, err)
	log, err := ruleset.Parse("r", words("CL.LOG 1000000 60"))
	require.NoError(t, err)
	replay := func(other *ruleset.Rule, requests []ruleset.Recorded, step int64) (one, two int64, err error) {
		keys, now := make([][]uint64, len(requests)), int64(0)
		for i := range keys {
			keys[i] = []uint64{uint64(i)}
		}
		return replayBoth(window, other, requests, keys, func() int64 { now += step; return now })
	}
	few := []ruleset.Recorded{{At: 1, Quantity: 1}, {At: 2, Quantity: 1001}}
	one, two, err := replay(log, few, MaxReplayNanos/4)
	require.NoError(t, err)
	require.Equal(t, [2]int64{1, 0}, [2]int64{one, two})
	_, _, err = replay(log, few, MaxReplayNanos/3)
	require.Equal(t, ErrReplay, err, "the last request begins too late")

	var many []ruleset.Recorded
	for range 100 {
		many = append(many, ruleset.Recorded{At: 1, Quantity: 10000})
	}
	_, _, err = replay(log, many, 0)
	require.Equal(t, ErrReplay, err)
	require.Zero(t, replays.store.Len(0))
	require.Less(t, replays.store.Used(), int64(1<<20))
	one, two, err = replay(window, many, 0)
	require.NoError(t, err)
	require.Equal(t, [2]int64{100, 100}, [2]int64{one, two})
}
