package app

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeapLimit(t *testing.T) {
	const mb = 1 << 20
	set := int64(0)
	l := &heapLimit{set: func(bytes int64) int64 { set = bytes; return 0 }}
	for _, step := range []struct {
		maxMemory, used, ofHeap, live, want int64
		why                                 string
	}{
		{0, 5 * mb, 5 * mb, 5 * mb, math.MaxInt64, "without maxmemory"},
		{64 * mb, 5 * mb, 5 * mb, 5 * mb, 112 * mb, "little lives"},
		{64 * mb, 25 * mb, 5 * mb, 5 * mb, 92 * mb, "20 MB are outside of the heap"},
		{64 * mb, 23 * mb, 5 * mb, 5 * mb, 92 * mb, "nearly the same"},
		{64 * mb, 60 * mb, 60 * mb, 120 * mb, 198 * mb, "much lives that is not counted"},
		{400 * mb, 400 * mb, 400 * mb, 400 * mb, 548 * mb, "all memory is used"},
		{0, 5 * mb, 5 * mb, 5 * mb, math.MaxInt64, "CONFIG SET maxmemory 0"},
	} {
		l.follow(step.maxMemory, step.used, step.ofHeap, step.live)
		require.Equal(t, step.want, set, step.why)
	}
}
