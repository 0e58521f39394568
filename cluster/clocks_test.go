package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A leader whose clock is wrong gives way to a node with the right time. A clock that stands still for a test moves nobody.
func TestALeaderWithAWrongClockGivesWay(t *testing.T) {
	for _, skew := range []time.Duration{700 * time.Millisecond, -700 * time.Millisecond} {
		inWorld(t, 3, func(w *world) {
			w.form(w.machines...)
			first := w.leader()
			first.fixed.Store(first.wall() + int64(time.Hour))
			first.skew.Store(int64(skew) * 6 / 10)
			time.Sleep(20 * time.Second)
			require.Same(t, first, w.leader(), "a difference within the limit, and a fixed clock")
			first.skew.Store(int64(skew))
			w.eventually("the leader leads on", func() bool { return first.Epoch() == 0 })
			second := w.leader()
			require.NotSame(t, first, second)
			require.Contains(t, first.log.String(), "the clock of this node is wrong: set it by NTP")
			require.NoError(t, second.set("a", 1))
			time.Sleep(time.Minute)
			require.Same(t, second, w.leader())
		})
	}
}

func TestSkewIsTheLeastDifference(t *testing.T) {
	const call = 100
	for difference, least := range map[int64]int64{-50: -50, 0: 0, 30: 0, 100: 0, 150: 50} {
		require.Equal(t, least, skew(difference, call))
	}
}
