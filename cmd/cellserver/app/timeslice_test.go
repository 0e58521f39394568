package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// busyProcessor is a model of a processor that a sweep shares with an event loop under full load. Clients write new keys that
// expire after a second. Times are in nanoseconds.
type busyProcessor struct {
	pause   int64   // until Go interrupts the event loop
	writes  float64 // keys for each nanosecond of the event loop
	step    int64   // time of a step
	removes float64 // keys of a step

	now, swept, longest, slice int64
	keys, most                 float64 // expired keys
}

// run runs rounds of 100 ms with timeSlice, for a time.
func (p *busyProcessor) run(s *timeSlice, length time.Duration) {
	for p.now < int64(length) {
		end, caughtUp := p.now+1e8, false
		for p.now < end && !caughtUp {
			p.now, p.swept, p.slice = p.now+p.step, p.swept+p.step, p.slice+p.step
			p.keys -= p.removes
			if caughtUp = p.keys < 0; caughtUp {
				p.keys = 0
			}
			p.longest = max(p.longest, p.slice)
			if s.use(p.step) {
				p.pauses(s, p.pause)
			}
		}
		if !caughtUp {
			s.fellBehind()
			continue
		}
		s.caughtUp()
		p.pauses(s, max(0, end-p.now))
	}
}

// pauses gives the processor to the event loop.
func (p *busyProcessor) pauses(s *timeSlice, length int64) {
	p.now, p.slice = p.now+length, 0
	p.keys += p.writes * float64(length)
	p.most = max(p.most, p.keys)
	s.next(length, 25)
}

// Clients that write new keys without end do not fill the memory with expired keys, even if the event loop never waits.
func TestTheSweepKeepsUpWithNewKeys(t *testing.T) {
	for _, c := range []struct {
		perSecond float64 // of the event loop alone
		most      float64 // expired keys
	}{
		{500_000, 100_000},
		{1_000_000, 300_000},
		{1_600_000, 2_500_000},
	} {
		p := busyProcessor{pause: 10e6, writes: c.perSecond / 1e9, step: 160_000, removes: 1000}
		p.run(new(timeSlice), time.Hour)
		require.Less(t, p.most, c.most, "%.0f keys a second", c.perSecond)
		require.Less(t, p.longest, int64(sliceLimit+p.step))
	}
}

// As long as the sweep keeps up, no client waits for more than the shorter limit and a step.
func TestSlicesAreShortWhileTheSweepKeepsUp(t *testing.T) {
	p := busyProcessor{pause: 10e6, writes: 0.0005, step: 160_000, removes: 1000}
	p.run(new(timeSlice), time.Hour)
	require.Positive(t, p.swept)
	require.Less(t, p.longest, int64(sliceMost+p.step))
}

// A sweep that does not keep up has its part of the time, and not more.
func TestTheSweepHasAPartOfTheTime(t *testing.T) {
	for pause := int64(1e6); pause < 15e6; pause += 1e6 {
		p := busyProcessor{pause: pause, writes: 1, step: 10_000, removes: 1}
		p.run(new(timeSlice), time.Minute)
		require.InDelta(t, 0.25, float64(p.swept)/float64(p.now), 0.03, "pause %d", pause)
	}
}

// The first slice, and each slice without a pause before it, is one step.
func TestASliceIsOneStepWithoutAPause(t *testing.T) {
	var s timeSlice
	require.True(t, s.use(0))
	s.next(10e6, 25)
	require.False(t, s.use(sliceMost-1))
	require.True(t, s.use(1))
	s.next(0, 25)
	require.True(t, s.use(0))
}
