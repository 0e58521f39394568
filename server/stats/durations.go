package stats

import "math/bits"

// A histogram has four buckets for each power of two from 1024 ns on, and four buckets below. So a
// percentile is at most a quarter too high.
const (
	octaves = 27
	// Buckets is the number of buckets.
	Buckets = 4 * (1 + octaves)
)

// bucketOf returns the bucket of a duration in nanoseconds.
func bucketOf(nanos int64) int {
	n := uint64(max(nanos, 0)) >> 8
	if n < 4 {
		return int(n)
	}
	octave := bits.Len64(n) - 3
	return min(4+4*octave+int(n>>octave&3), Buckets-1)
}

// BucketEnd returns the upper end of a bucket in nanoseconds. bucket is from 0 to Buckets-1.
func BucketEnd(bucket int) int64 {
	if bucket < 4 {
		return int64(bucket+1) << 8
	}
	octave, quarter := (bucket-4)/4, int64(bucket%4)
	return (4 + quarter + 1) << (octave + 8)
}

// Percentile returns a duration in nanoseconds that p percent of the calls did not exceed. p is
// from 0 to 100. The result is at most a quarter too high.
func (c *Counters) Percentile(p float64) int64 {
	var counts [Buckets]int64
	var all int64
	for i := range counts {
		counts[i] = c.Took[i].Load()
		all += counts[i]
	}
	rank := max(int64(p/100*float64(all)+0.5), 1)
	seen := int64(0)
	for i, n := range counts {
		if seen += n; seen >= rank {
			return BucketEnd(i)
		}
	}
	return BucketEnd(Buckets - 1)
}
