package app

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClock(t *testing.T) {
	c := newClock()
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
	c := newClock()
	require.InDelta(t, time.Hour, c.Until(time.Now().UnixNano()+int64(time.Hour)), float64(time.Minute))
	c.Set(5)
	require.EqualValues(t, math.MaxInt64, c.Until(6), "a clock that stands never comes there")
	require.Zero(t, c.Until(5))
	require.Zero(t, c.Until(1))
}

func TestClockIsAdvancedConcurrently(t *testing.T) {
	c := newClock()
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

// A wall clock that is set back is followed in one step, which step returns. Until then the time goes on.
func TestClockIsSetBack(t *testing.T) {
	c := newClock()
	c.setLimit(int64(10 * time.Second))
	near := func(want int64) {
		t.Helper()
		before := time.Now().UnixNano()
		now := c.Now()
		require.GreaterOrEqual(t, now, before+want-int64(time.Second))
		require.LessOrEqual(t, now, time.Now().UnixNano()+want+int64(time.Second))
	}
	const year = int64(365 * 24 * time.Hour)
	c.Step(year)
	near(year)
	c.Step(-year)
	near(year)
	step, take := c.step()
	require.NotNil(t, take)
	require.InDelta(t, year, step.Back, float64(time.Second))
	require.InDelta(t, time.Now().UnixNano()+year, step.Was, float64(time.Minute))
	near(year)
	take()
	near(0)
	_, take = c.step()
	require.Nil(t, take)

	c.Step(-int64(9 * time.Second))
	_, take = c.step()
	require.Nil(t, take, "a small step is followed at once")
	c.Set(5)
	c.Step(-year)
	_, take = c.step()
	require.Nil(t, take, "a fixed clock does not go back")
	c.Resume()
	near(-year - int64(9*time.Second))
	c.setLimit(0)
	c.Step(-year)
	near(-2*year - int64(9*time.Second))
}
