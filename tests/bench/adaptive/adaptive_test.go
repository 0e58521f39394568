package adaptive

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// seeds are those of the bars. They are not the seed of the table.
var seeds = []uint64{11, 12}

// TestHalves: half of the workers are gone for a minute. At least 99 % of the possible replies are good, and the service is quick
// again in 5 seconds, also if one caller has half of the load.
func TestHalves(t *testing.T) {
	for i, of := range []*scenario{halves(), skew()} {
		o := outcomeOf(of, newLimit(false), seeds[i])
		t.Logf("%+v", o)
		require.GreaterOrEqual(t, o.before, 0.99*4000*0.995) // the load itself varies
		require.GreaterOrEqual(t, o.during, 0.99*2500)
		require.GreaterOrEqual(t, o.after, 0.98*4000)
		require.True(t, o.quick >= 0 && o.quick <= 5, o.quick)
		require.True(t, o.back >= 0 && o.back <= 5, o.back)
	}
}

// TestSlower: the calls take three times as long for a minute. At least 97 % of the possible replies are good.
func TestSlower(t *testing.T) {
	for _, seed := range seeds {
		o := outcomeOf(slower(), newLimit(false), seed)
		t.Logf("%+v", o)
		require.GreaterOrEqual(t, o.during, 0.97*100/0.060)
		require.GreaterOrEqual(t, o.after, 0.97*2000)
	}
}

// TestOverload: the latency of the last five minutes is at most 1.1 times that of the first.
func TestOverload(t *testing.T) {
	o := overloadOf(newLimit(false), seeds[0])
	t.Logf("%+v", o)
	require.LessOrEqual(t, o.p99Last, 1.1*o.p99First)
	require.GreaterOrEqual(t, o.goodLast, 0.99*5000)
}

// TestHang: nothing is done for 30 seconds. The replies are good again in 8 seconds.
func TestHang(t *testing.T) {
	for _, seed := range seeds {
		n := hangOf(newLimit(false), seed)
		t.Log(n)
		require.True(t, n >= 0 && n <= 8, n)
	}
}

// TestSameSeed: a simulation with the same seed has the same figures.
func TestSameSeed(t *testing.T) {
	require.Equal(t, run(small(), newLimit(false), 5), run(small(), newLimit(false), 5))
}
