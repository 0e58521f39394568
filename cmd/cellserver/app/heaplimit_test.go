package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeapLimit(t *testing.T) {
	const mb = 1 << 20
	set := int64(0)
	l := &heapLimit{set: func(bytes int64) int64 { set = bytes; return 0 }}
	for _, step := range []struct {
		maxMemory, used, ofHeap, live, scripts, want int64
		why                                          string
	}{
		{0, 5 * mb, 5 * mb, 4 * mb, 0, 10*mb + mb/4 + 256*mb, "without maxmemory, scripts may run"},
		{0, 5 * mb, 5 * mb, 240 * mb, 200 * mb, 54*mb + 256*mb, "scripts run"},
		{64 * mb, 5 * mb, 5 * mb, 5 * mb, 0, 112 * mb, "little lives"},
		{64 * mb, 25 * mb, 5 * mb, 5 * mb, 0, 92 * mb, "20 MB are outside of the heap"},
		{64 * mb, 23 * mb, 5 * mb, 5 * mb, 0, 92 * mb, "nearly the same"},
		{64 * mb, 60 * mb, 60 * mb, 120 * mb, 0, 198 * mb, "much lives that is not counted"},
		{400 * mb, 400 * mb, 400 * mb, 400 * mb, 0, 548 * mb, "all memory is used"},
		{400 * mb, 400 * mb, 400 * mb, 500 * mb, 100 * mb, 804 * mb, "all memory is used, and scripts run"},
	} {
		l.follow(step.maxMemory, step.used, step.ofHeap, step.live,
			scriptMemory{step.scripts, 256 * mb})
		require.Equal(t, step.want, set, step.why)
	}
}
