package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// floats is GRADIENT2 as Netflix publishes it: https://github.com/Netflix/concurrency-limits,
// Gradient2Limit.java and ExpAvgMeasurement.java.
type floats struct {
	limit, long, sum float64
	count            int
}

func (f *floats) add(rtt float64) {
	if f.count < 10 {
		f.count++
		f.sum += rtt
		f.long = f.sum / float64(f.count)
		return
	}
	const factor = 2.0 / 601
	f.long = f.long*(1-factor) + rtt*factor
}

func (f *floats) next(rtt float64, busiest, least, most float64) {
	f.add(rtt)
	long := f.long
	if long/rtt > 2 {
		f.long *= 0.95
	}
	if busiest < f.limit/2 {
		return
	}
	gradient := math.Max(0.5, math.Min(1, 1.5*long/rtt))
	f.limit = f.limit*0.8 + (f.limit*gradient+4)*0.2
	f.limit = math.Max(least, math.Min(most, f.limit))
}

// TestGradient2AsTheFloats: the limits are within 3 of the published floats.
func TestGradient2AsTheFloats(t *testing.T) {
	windows := 600_000
	if testing.Short() {
		windows /= 20
	}
	r := rand.New(randtest.Source(t))
	o := wants(Gradient2, 20)
	o.Least = 1
	s, f := o.Begin(), floats{limit: 20}
	farthest := 0.0
	for i := range windows {
		if i%1000 == 0 { // another service
			s, f = o.Begin(), floats{limit: 20}
		}
		rtt := int64(1e6 * math.Exp(r.NormFloat64()))
		busiest := []int64{0, s.Limit() / 3, s.Limit() * 2 / 3, s.Limit()}[r.IntN(4)] // far from half of the limit
		s = o.Next(s, Window{Samples: 1, Sum: rtt, Busiest: busiest, Length: 1e9})
		f.next(float64(rtt), float64(busiest), 1, 1000)
		farthest = max(farthest, math.Abs(float64(s.Size)/One-f.limit))
		if math.Abs(float64(s.Size)/One-f.limit) > 3 { // a comparison fell on the other side
			t.Fatalf("window %d: %v and %v", i, float64(s.Size)/One, f.limit)
		}
	}
	t.Log("farthest", farthest)
}

// FuzzNext: no window and no state panics, and the limit stays within its bounds.
func FuzzNext(f *testing.F) {
	f.Add(uint8(0), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(One), int64(0), int64(0), int64(0))
	f.Add(uint8(1), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64),
		int64(math.MaxInt64), int64(MostLimit*One), int64(LongestLatency), int64(MostLimit*One), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, a uint8, n, sum, busiest, drops, refused, length, size, m0, m1, m2 int64) {
		o := Default
		o.Algorithm = Algorithm(a) % Algorithms
		if size%3 == 0 {
			o.Least, o.Most, o.Tolerance, o.Latency = MostLimit, MostLimit, LargestTolerance, math.MaxInt64
		}
		s := State{Algorithm: o.Algorithm, Size: size, Memory: [5]int64{m0, m1, m2}}
		if !s.Valid() {
			return
		}
		for range 3 {
			s = o.Next(s, Window{n, sum, busiest, drops, refused, length})
			require.True(t, s.Valid(), "%+v", s)
			require.GreaterOrEqual(t, s.Limit(), int64(o.Least))
			require.LessOrEqual(t, s.Limit(), int64(o.Most))
		}
	})
}

// TestOverflowEnds: all numbers of windows and options at their ends.
func TestOverflowEnds(t *testing.T) {
	r := rand.New(randtest.Source(t))
	ends := []int64{0, 1, 2, 9, 1e3, 1e6, 1e9, LongestLatency - 1, LongestLatency, math.MaxInt64 - 1, math.MaxInt64}
	end := func() int64 { return ends[r.IntN(len(ends))] }
	for range 20_000 {
		o, err := New(Algorithm(r.IntN(int(Algorithms))), max(end(), 1), 1+r.Int64N(2)*(MostLimit-1), MostLimit, 1+r.Int64N(MostLimit),
			r.Int64N(2)*LongestWindow, LeastTolerance+r.Int64N(300))
		require.NoError(t, err)
		s := o.Begin()
		for range 40 {
			s = o.Next(s, Window{end(), end(), end(), end(), end(), end()})
			require.True(t, s.Valid(), "%+v", s)
			require.True(t, s.Limit() >= int64(o.Least) && s.Limit() <= int64(o.Most))
		}
	}
}

// TestMeterIsSmall: the window of a key takes at most 96 bytes.
func TestMeterIsSmall(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(Meter{}), uintptr(96))
}

// TestMeterIdle: a window whose end nobody notices for long counts as long as it should have been.
func TestMeterIdle(t *testing.T) {
	m := Meter{Options: Default}
	m.Restart(0)
	require.EqualValues(t, 1_900_000_000, (&m).windowLength(1_900_000_000))
	require.EqualValues(t, 1_000_000_000, (&m).windowLength(2_000_000_000))
}

func (m *Meter) windowLength(now int64) int64 { w := m.window(now); return w.Length }

// TestMeterCounts at the ends of its numbers.
func TestMeterCounts(t *testing.T) {
	m := Meter{Options: Default, Samples: math.MaxInt32 - 1, Refused: math.MaxInt32, Sum: math.MaxInt64 - 5}
	for range 3 {
		m.Sample(math.MaxInt64, true)
		m.Refuse()
	}
	require.Equal(t, []int32{math.MaxInt32, math.MaxInt32, 1}, []int32{m.Samples, m.Refused, m.Drops})
	require.EqualValues(t, math.MaxInt64, m.Sum)
	s, ended := m.Begin(), Ended{}
	m.Close(&s, math.MaxInt64, true, &ended)
	require.True(t, s.Valid())
	require.Equal(t, Grew, ended.Result)
}

// TestMeterTakesOptions: another length counts from the next window on, and other options at once.
func TestMeterTakesOptions(t *testing.T) {
	m, o := Meter{}, Default
	s, ended := o.Begin(), Ended{}
	m.Arrive(&s, &o, 0, &ended)
	require.EqualValues(t, 1e9, m.End)
	o.Window, o.Most = 5e9, 50
	m.Arrive(&s, &o, 5e8, &ended)
	require.EqualValues(t, 1e9, m.End)
	m.Arrive(&s, &o, 1e9, &ended)
	require.EqualValues(t, 6e9, m.End)
	o.Window = 0
	m.Arrive(&s, &o, 6e9, &ended)
	require.EqualValues(t, 6e9, m.End)
	ended = Ended{}
	m.Arrive(&s, &o, 7e9, &ended)
	require.Equal(t, Open, ended.Result, "only a sample ends a window of one sample")
	o.Window = 1e9
	m.Arrive(&s, &o, 8e9, &ended)
	require.EqualValues(t, 9e9, m.End)
}

// TestRoom: shares round up, and are at least 1.
func TestRoom(t *testing.T) {
	for _, c := range []struct{ limit, others, percent, upTo, want int64 }{
		{10, 0, 0, 100, 10}, {10, 10, 0, 100, 0}, {10, 12, 0, 100, 0}, {10, 10, 30, 100, 3}, {10, 9, 70, 100, 7}, {10, 0, 30, 100, 10},
		{11, 11, 30, 100, 4}, {1, 5, 1, 100, 1}, {10, 0, 0, 50, 5}, {11, 0, 0, 50, 6}, {10, 5, 0, 50, 0}, {10, 8, 70, 50, 4},
		{MostLimit, MostLimit, 100, 1, 1000},
	} {
		require.Equal(t, c.want, Room(c.limit, c.others, c.percent, c.upTo), "%+v", c)
	}
}
