package adaptive

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// seeds are those of the bars. They are not the seed of the table.
var seeds = []uint64{11, 12}

// TestHalves: half of the workers are gone for a minute. At least 99 % of the possible replies are good,
// and the service is quick again in 5 seconds, also if one caller has half of the load.
func TestHalves(t *testing.T) {
	for i, of := range []*scenario{halves(), skew()} {
		o := outcomeOf(of, newLimit(t, false), seeds[i])
		t.Logf("%+v", o)
		require.GreaterOrEqual(t, o.before, 0.99*4000*0.995) // the load itself varies
		require.GreaterOrEqual(t, o.during, 0.99*2500)
		require.GreaterOrEqual(t, o.after, 0.98*4000)
		require.True(t, o.quick >= 0 && o.quick <= 5, o.quick)
		require.True(t, o.back >= 0 && o.back <= 5, o.back)
	}
}

// TestSlower: the calls take three times as long for a minute. At least 97 % of the possible replies are
// good.
func TestSlower(t *testing.T) {
	for _, seed := range seeds {
		o := outcomeOf(slower(), newLimit(t, false), seed)
		t.Logf("%+v", o)
		require.GreaterOrEqual(t, o.during, 0.97*100/0.060)
		require.GreaterOrEqual(t, o.after, 0.97*2000)
	}
}

// TestOverload: the latency of the last five minutes is at most 1.1 times that of the first.
func TestOverload(t *testing.T) {
	o := overloadOf(newLimit(t, false), seeds[0])
	t.Logf("%+v", o)
	require.LessOrEqual(t, o.p99Last, 1.1*o.p99First)
	require.GreaterOrEqual(t, o.goodLast, 0.99*5000)
}

// TestHang: nothing is done for 30 seconds. The replies are good again in 8 seconds.
func TestHang(t *testing.T) {
	for _, seed := range seeds {
		n := hangOf(newLimit(t, false), seed)
		t.Log(n)
		require.True(t, n >= 0 && n <= 8, n)
	}
}

// measured is a limit that somebody has measured.
type measured struct{ most, calls int }

func (l *measured) enter(int, int64, int64) bool {
	if l.calls == l.most {
		return false
	}
	l.calls++
	return true
}

func (l *measured) leave(int, int64, int64, int64, bool) { l.calls-- }

// TestOtherServices: with a lock, and with pauses, the limit keeps 95 % of the good replies that the best
// fixed limit has. The latency does not drift.
//
// If a service that pauses has workers to spare, the best fixed limit lets all calls of a pause wait. A
// limit of many calls does the same.
func TestOtherServices(t *testing.T) {
	for _, one := range []struct {
		name    string
		of      func() *scenario
		options []string
	}{
		{"a lock", lock, nil},
		{"pauses and too many calls", func() *scenario { return pauses(6000) }, nil},
		{"pauses and many calls", func() *scenario { return pauses(4000) }, nil},
		{
			"pauses and few calls", func() *scenario { return pauses(2000) },
			[]string{"BETWEEN", "400", "1000"},
		},
	} {
		best, most := 0.0, 0
		for n := 10; n < 1000; n += max(5, n/4) {
			if good := goodput(run(one.of(), &measured{most: n}, seeds[0]), 20, 80); good > best {
				best, most = good, n
			}
		}
		all := run(one.of(), newLimit(t, false, one.options...), seeds[0])
		good, first, last := goodput(all, 20, 80), p99(all, 20, 50), p99(all, 50, 80)
		t.Logf("%s: %.0f good replies a second, %.0f with the fixed limit %d; p99 %.0f, later %.0f ms",
			one.name, good, best, most, first, last)
		require.GreaterOrEqual(t, good, 0.95*best, one.name)
		require.LessOrEqual(t, last, 1.1*first, one.name)
	}
}

// TestSameSeed: a simulation with the same seed has the same figures.
func TestSameSeed(t *testing.T) {
	require.Equal(t, run(small(), newLimit(t, false), 5), run(small(), newLimit(t, false), 5))
}
