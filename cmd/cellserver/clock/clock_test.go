package clock

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

func TestClock(t *testing.T) {
	c := New()
	require.InDelta(t, time.Now().UnixNano(), c.Now(), float64(time.Minute))
	c.Set(0)
	require.Equal(t, int64(0), c.Now(), "a clock may stand at the epoch")
	c.Advance(5)
	c.Advance(-2)
	require.Equal(t, int64(3), c.Now())
	c.Resume()
	c.Advance(int64(time.Hour))
	later := c.Now()
	require.Greater(t, later, time.Now().UnixNano())
	require.Equal(t, later, c.Now(), "advancing stops the clock")
	c.Resume()
	require.Less(t, c.Now(), later)
	require.Less(t, c.Monotonic(), int64(time.Minute), "Monotonic follows the real time")
}

func TestClockUntil(t *testing.T) {
	c := New()
	require.InDelta(t, time.Hour, c.Until(time.Now().UnixNano()+int64(time.Hour)), float64(time.Minute))
	c.Set(5)
	require.EqualValues(t, math.MaxInt64, c.Until(6), "a clock that stands never comes there")
	require.Zero(t, c.Until(5))
	require.Zero(t, c.Until(1))
}

func TestClockIsAdvancedConcurrently(t *testing.T) {
	c := New()
	c.Set(0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				c.Advance(1)
				c.Now()
			}
		})
	}
	wg.Wait()
	require.Equal(t, int64(8000), c.Now())
}

// TestAClockThatIsSetBack sets the wall clock back and forth at random, and restarts. A true clock runs beside. As long as
// the wall clock was never ahead of the true one, the time of the server is never ahead either, so no limit allows too much. In
// one run it goes on exactly as the true time, so nobody waits longer. When the wall clock is right again, so is the time.
func TestAClockThatIsSetBack(t *testing.T) {
	r := rand.New(randtest.Source(t))
	synctest.Test(t, func(t *testing.T) {
		const limit = 10 * time.Second
		skew, written := int64(0), int64(0)
		for range 30 {
			c := New()
			c.skew.Store(skew)
			c.wall.Store(&wall{c.started.UnixNano() + skew, int64(limit)})
			c.Continue(written)
			require.GreaterOrEqual(t, c.Now(), written)
			from, begun := c.Now(), time.Now()
			for range 20 {
				switch r.IntN(3) {
				case 0: // back
					back := -int64(limit) - 1 - r.Int64N(int64(1000*time.Hour))
					c.Step(back)
					skew += back
				case 1: // right again
					c.Step(-skew)
					skew = 0
					require.Equal(t, max(time.Now().UnixNano(), from), c.Now())
					from, begun = c.Now(), time.Now() // it may have caught up with the time of a restart
				}
				time.Sleep(time.Duration(r.Int64N(int64(time.Hour))))
				require.LessOrEqual(t, c.Now(), time.Now().UnixNano())
				require.Equal(t, int64(time.Since(begun)), c.Now()-from)
				c.Check()
				_, gap := c.Steps()
				require.Equal(t, c.Now()-c.Machine(), gap)
			}
			written = c.Now() / 1e9 * 1e9
			time.Sleep(time.Duration(r.Int64N(int64(time.Hour))))
		}
	})
}

// A small step is followed at once, and with a limit of 0 every step.
func TestSmallStepsOfTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		c.SetLimit(int64(10 * time.Second))
		near := func(want time.Duration) {
			t.Helper()
			require.Equal(t, time.Now().UnixNano()+int64(want), c.Now())
		}
		c.Step(int64(time.Hour))
		near(time.Hour)
		c.Step(-int64(9 * time.Second))
		near(time.Hour - 9*time.Second)
		steps, gap := c.Steps()
		require.Equal(t, []int64{0, 0}, []int64{steps, gap})
		c.Step(-int64(time.Hour))
		near(time.Hour - 9*time.Second)
		steps, gap = c.Steps()
		require.Equal(t, []int64{1, int64(time.Hour)}, []int64{steps, gap})
		c.SetLimit(0)
		near(-9 * time.Second)
		c.Step(-int64(time.Hour))
		near(-time.Hour - 9*time.Second)
	})
}

// TestTheGapIsThatOfThisMoment: clients get and give the time of the wall clock also before the next check.
func TestTheGapIsThatOfThisMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		c.SetLimit(int64(10 * time.Second))
		right := func() {
			t.Helper()
			_, gap := c.Steps()
			require.Equal(t, c.Machine(), c.Now()-gap)
		}
		c.skew.Store(-int64(time.Hour)) // set back, and nobody has checked
		right()
		c.Check()
		right()
		c.skew.Store(0) // right again
		right()
		c.Step(-int64(time.Hour))
		c.SetLimit(0)
		right()
	})
}

// TestAClockThatLeads: what a clock has held before a node leads does not count. Then it goes on from the time of the log.
func TestAClockThatLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = int64(10 * time.Second)
		c := New()
		began := c.Machine()
		require.Equal(t, int64(time.Hour), c.Lead(began+int64(time.Hour), limit))
		time.Sleep(time.Minute)
		require.Equal(t, began+int64(time.Hour+time.Minute), c.Now())
		c.Step(int64(24 * time.Hour)) // as a follower, the clock is wrong, and right again
		require.Equal(t, began+int64(24*time.Hour+time.Minute), c.Now())
		c.Step(-int64(24 * time.Hour))
		require.Equal(t, began+int64(24*time.Hour+time.Minute), c.Now())
		require.Zero(t, c.Lead(began+int64(time.Minute)+limit, limit))
		require.Equal(t, c.Machine(), c.Now())
		_, gap := c.Steps()
		require.Zero(t, gap)
	})
}
