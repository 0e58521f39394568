package commands

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDurationBuckets(t *testing.T) {
	require.Equal(t, 0, durationBucket(-1))
	require.Equal(t, durations-1, durationBucket(math.MaxInt64))
	for bucket := range durations - 1 {
		bound := durationBound(bucket)
		require.Equal(t, bucket, durationBucket(bound-1))
		require.Equal(t, bucket+1, durationBucket(bound))
		if bucket >= 4 {
			require.LessOrEqual(t, float64(bound), 1.25*float64(durationBound(bucket-1)))
		}
	}
}

func TestPercentiles(t *testing.T) {
	var st stats
	for micros := range int64(1000) {
		st.took[durationBucket(micros*1000)].Add(1)
	}
	for _, p := range []float64{1, 25, 50, 90, 99, 99.9} {
		exact := p / 100 * 1000 * 1000
		require.GreaterOrEqual(t, float64(st.percentile(p)), exact-1000, p)
		require.LessOrEqual(t, float64(st.percentile(p)), 1.25*exact+1000, p)
	}
}

func TestErrorCodes(t *testing.T) {
	var e errorCounts
	for _, text := range []string{"ERR a", "ERR b", "WRONGTYPE x", "nospace", "averyveryveryveryverylongfirstwordindeed x"} {
		e.add(text)
	}
	byCode, total := e.all()
	require.Equal(t, map[string]int64{"ERR": 4, "WRONGTYPE": 1}, byCode)
	require.EqualValues(t, 5, total)
}

func TestAccountingAllocatesNothing(t *testing.T) {
	h := newHarness(t)
	call := &Call{Cmd: table["get"], Client: h.state, Server: h.server}
	require.Zero(t, testing.AllocsPerRun(100, func() { h.server.account(call) }))
}
