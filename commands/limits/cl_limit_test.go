package limits

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestClLimit shows a limit, its base and its open window, and changes nothing.
func TestClLimit(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.LIMIT k", nil)
	for i := range 20 {
		h.Do(fmt.Sprint("CL.ENTER k 60 a", i))
	}
	h.Do("CL.ENTER k 60 refused")
	for i := range 12 {
		h.Do(fmt.Sprint("CL.LEAVE k a", i, " 0.02"))
	}
	h.Advance(time.Second)
	h.Do("CL.ENTER k 60 b")
	h.Do("CL.LEAVE k a12 0.03 DROP")
	for range 2 {
		require.Equal(t, []any{
			"algorithm", "GRADIENT", "limit", int64(30), "inflight", int64(8), "base_us", int64(20_000),
			"latency_us", int64(20_000), "gradient", int64(1000), "samples", int64(1), "drops", int64(1),
			"refused", int64(0), "window_end", servertest.Start/1_000_000 + 2001, "partitions", []any{},
		}, texts(h.Do("CL.LIMIT k")))
	}
}

// TestAdaptiveStateIsSmall: besides its holders, a limit takes at most 200 bytes, also one with the largest
// numbers.
func TestAdaptiveStateIsSmall(t *testing.T) {
	h := servertest.New(t)
	for _, algorithm := range []string{"GRADIENT", "GRADIENT2", "VEGAS", "AIMD 1"} {
		h.Do("FLUSHALL")
		for i := range 30 {
			h.Do("CL.ENTER search 60 a START 100000 BETWEEN 1 100000 WINDOW 0 " + algorithm)
			h.Do(fmt.Sprintf("CL.LEAVE search a %d.%09d", 2_000_000+i, 123_456_789))
			h.Advance(time.Nanosecond)
		}
		require.LessOrEqual(t, h.Do("MEMORY USAGE {search}:adaptive"), int64(200))
		require.Less(t, len(h.Do("GET {search}:adaptive").(string)), 160)
	}
}

// TestAdaptiveLimitsOf64KB: as many new limits as 64 KB of requests name take less than 1 MB.
func TestAdaptiveLimitsOf64KB(t *testing.T) {
	for _, options := range []string{
		"", " GRADIENT2", " PARTITION a OF a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1",
		" PARTITION " + strings.Repeat("p", 32) + " OF " + strings.Repeat("p", 32) + " 100",
	} {
		h := servertest.New(t)
		sent, limits, stored := 0, 0, int64(0)
		for {
			line := fmt.Sprint("CL.ENTER ", limits, " 9 a", options)
			if sent += len(request(line)); sent > 64<<10 {
				break
			}
			require.EqualValues(t, 0, h.Do(line).([]any)[0])
			limits++
		}
		keys := h.Do("KEYS *").([]any)
		require.Len(t, keys, 2*limits)
		for _, key := range keys {
			stored += h.Do(fmt.Sprint("MEMORY USAGE ", key)).(int64)
		}
		t.Logf("%d limits, %d bytes%s", limits, stored, options)
		require.Less(t, stored, int64(1<<20))
	}
}
