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
