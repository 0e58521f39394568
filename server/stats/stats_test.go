package stats

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDurationBuckets(t *testing.T) {
	require.Equal(t, 0, bucketOf(-1))
	require.Equal(t, Buckets-1, bucketOf(math.MaxInt64))
	for bucket := range Buckets - 1 {
		bound := BucketEnd(bucket)
		require.Equal(t, bucket, bucketOf(bound-1))
		require.Equal(t, bucket+1, bucketOf(bound))
		if bucket >= 4 {
			require.LessOrEqual(t, float64(bound), 1.25*float64(BucketEnd(bucket-1)))
		}
	}
}

func TestPercentiles(t *testing.T) {
	var st Counters
	for micros := range int64(1000) {
		st.Took[bucketOf(micros*1000)].Add(1)
	}
	for _, p := range []float64{1, 25, 50, 90, 99, 99.9} {
		exact := p / 100 * 1000 * 1000
		require.GreaterOrEqual(t, float64(st.Percentile(p)), exact-1000, p)
		require.LessOrEqual(t, float64(st.Percentile(p)), 1.25*exact+1000, p)
	}
}

func TestErrorCodes(t *testing.T) {
	var e Errors
	for _, text := range []string{"ERR a", "ERR b", "WRONGTYPE x", "nospace", "averyveryveryveryverylongfirstwordindeed x"} {
		e.Add(text)
	}
	byCode, total := e.All()
	require.Equal(t, map[string]int64{"ERR": 4, "WRONGTYPE": 1}, byCode)
	require.EqualValues(t, 5, total)

	for i := range 1000 {
		e.Add(fmt.Sprintf("CODE%d x", i))
	}
	byCode, total = e.All()
	require.LessOrEqual(t, len(byCode), maxCodes)
	require.EqualValues(t, 1005, total)
	require.EqualValues(t, 4+1000-(maxCodes-2), byCode["ERR"])
}
