package adaptive

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const ms = 1_000_000

// wants are the options of a story: an algorithm, and the options of the documentation.
func wants(a Algorithm, start int32) Options {
	o := Default
	o.Algorithm, o.Start, o.Latency, o.Window = a, start, 100*ms, 0
	return o
}

// full is a window of calls of one latency in which callers were refused.
func full(latency int64) Window {
	return Window{Samples: 100, Sum: 100 * latency, Busiest: MostLimit, Refused: 1, Length: 1e9}
}

// dropping is a full window of 20 ms with drops in 100 samples.
func dropping(drops int64) Window {
	w := full(20 * ms)
	w.Drops = drops
	return w
}

// repeat returns a window several times.
func repeat(w Window, times int) []Window { return slices.Repeat([]Window{w}, times) }

// falling returns full windows whose latency falls by 3 ms.
func falling(from int64, times int) (all []Window) {
	for i := range int64(times) {
		all = append(all, full((from-3*i)*ms))
	}
	return all
}

// idle is a window in which one call at a time was under way.
var idle = Window{Samples: 10, Sum: 200 * ms, Busiest: 1, Length: 1e9}

// TestStories: the limit after each window, from a start.
func TestStories(t *testing.T) {
	used := func(busiest int64) Window { return Window{Samples: 1, Sum: 20 * ms, Busiest: busiest, Length: 1e9} }
	grown := repeat(full(20*ms), 4)
	for _, story := range []struct {
		name    string
		with    Options
		windows []Window
		limits  []int64
	}{
		{"AIMD grows", wants(AIMD, 20), repeat(full(20*ms), 3), []int64{21, 22, 23}},
		{"AIMD half used", wants(AIMD, 20), []Window{used(10), used(10)}, []int64{21, 21}},
		{"AIMD drop without latency", wants(AIMD, 30), []Window{{Samples: 1, Drops: 1, Length: 1}}, []int64{27}},
		{"AIMD long latency", wants(AIMD, 30), []Window{full(100*ms + 1), full(100 * ms)}, []int64{27, 28}},
		{"AIMD least", wants(AIMD, 1), repeat(dropping(100), 2), []int64{1, 1}},
		{"VEGAS grows", wants(Vegas, 20), repeat(full(20*ms), 4), []int64{20, 26, 32, 38}},
		{"VEGAS no queue", wants(Vegas, 10), repeat(full(10*ms), 2), []int64{10, 16}},
		{"VEGAS queue", wants(Vegas, 10), []Window{full(10 * ms), full(50 * ms)}, []int64{10, 9}},
		{"VEGAS within", wants(Vegas, 10), []Window{full(10 * ms), full(14 * ms)}, []int64{10, 10}},
		{"VEGAS few", wants(Vegas, 100), []Window{full(100 * ms), full(104 * ms)}, []int64{100, 102}},
		{"VEGAS drop", wants(Vegas, 100), []Window{full(20 * ms), dropping(1)}, []int64{100, 98}},
		{"GRADIENT2 grows", wants(Gradient2, 20), repeat(full(20*ms), 6), []int64{20, 21, 22, 23, 23, 24}},
		{"GRADIENT grows", wants(Gradient, 20), repeat(full(20*ms), 10),
			[]int64{30, 45, 67, 101, 151, 227, 341, 512, 768, 1000}},
		{"GRADIENT queues", wants(Gradient, 20), slices.Concat(grown, falling(60, 12)),
			[]int64{30, 45, 67, 101, 88, 77, 67, 59, 52, 46, 41, 37, 34, 32, 31, 30}},
		{"GRADIENT drops", wants(Gradient, 20), slices.Concat(grown[:3],
			[]Window{dropping(25), dropping(50), dropping(75), dropping(100)}, grown[:3]),
			[]int64{30, 45, 67, 59, 44, 27, 13, 27, 33, 38}},
		{"GRADIENT is slower", wants(Gradient, 100), []Window{
			used(66), rated(20, 5000), rated(60, 1000), rated(60, 1000), rated(60, 875), rated(60, 765), rated(60, 670),
			rated(60, 670),
		}, []int64{100, 150, 131, 114, 100, 150, 162, 174}},
	} {
		s, got := story.with.Begin(), []int64{}
		for _, w := range story.windows {
			s = story.with.Next(s, w)
			got = append(got, s.Limit())
		}
		require.Equal(t, story.limits, got, story.name)
	}
}

// rated is a full window of a number of calls.
func rated(millis, samples int64) Window {
	return Window{Samples: samples, Sum: samples * millis * ms, Busiest: MostLimit, Refused: 1, Length: 1e9}
}

// TestIdle: nothing grows while less than half of the limit is used.
func TestIdle(t *testing.T) {
	for a := range Algorithms {
		o := wants(a, 20)
		s := o.Begin()
		for range 8 {
			s = o.Next(s, idle)
			require.EqualValues(t, 20, s.Limit(), a)
		}
	}
}

// TestVegasSteps: a step grows with the digits of the limit.
func TestVegasSteps(t *testing.T) {
	o := wants(Vegas, 10_000)
	o.Most = MostLimit
	s := o.Next(o.Begin(), full(20*ms))
	s = o.Next(s, full(20*ms))
	require.EqualValues(t, 10_024, s.Limit())
}

// TestLongAverage warms up over ten values, and is exponential from then on.
func TestLongAverage(t *testing.T) {
	var m [5]int64
	for i := range int64(10) {
		require.Equal(t, 10*longUnit+i*longUnit/2, averageLatency(&m, 10+i))
	}
	require.Equal(t, int64(14*longUnit+longUnit/2)+(100*longUnit-14*longUnit-longUnit/2)*2/601, averageLatency(&m, 100))
}

// TestMeanLatency has all samples, dropped ones too.
func TestMeanLatency(t *testing.T) {
	w := Window{Samples: 3, Sum: 5000 + 500 + 10, Drops: 1}
	require.EqualValues(t, 1836, w.MeanLatency())
}

// TestOtherAlgorithm keeps the limit and forgets the rest.
func TestOtherAlgorithm(t *testing.T) {
	o := wants(Gradient, 20)
	s := o.Next(o.Begin(), full(20*ms))
	o.Algorithm = Vegas
	s = o.Next(s, full(30*ms))
	require.Equal(t, State{Algorithm: Vegas, Size: 30 * One, Memory: [5]int64{30 * ms, 1}}, s)
}
