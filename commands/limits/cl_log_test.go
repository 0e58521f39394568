package limits

import (
	"cellserver/server/servertest"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClLog is exact to the nanosecond: an entry counts for one period, its end excluded.
func TestClLog(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.LOG k 3 60", []any{0, 3, 2, -1, 60})
	h.Advance(10 * time.Second)
	h.Want("CL.LOG k 3 60 2", []any{0, 3, 0, -1, 60})
	h.Want("CL.LOG k 3 60", []any{1, 3, 0, 50, 60})
	h.Want("CL.LOG k 3 60 2", []any{1, 3, 0, 60, 60})
	h.Want("CL.LOG k 3 60 4", []any{1, 3, 0, -1, 60})
	h.Want("ZRANGE k 0 -1 WITHSCORES", []string{"1700000000123456789", "1700000000123456",
		"1700000010123456789", "1700000010123456", "1700000010123456789-000000001", "1700000010123456"})
	h.Want("PTTL k", 60001)
	h.Advance(50*time.Second - 1)
	h.Want("CL.LOG k 3 60 MS", []any{1, 3, 0, 1, 10001})
	h.Advance(1)
	h.Want("CL.LOG k 3 60 PEEK", []any{0, 3, 0, -1, 60})
	h.Want("CL.LOG k 3 60 0", []any{0, 3, 1, -1, 10})
	h.Want("CL.LOG k 3 60", []any{0, 3, 0, -1, 60})
	h.Want("ZCARD k", 3)
	h.Want("CL.LOG k 1 60 0", []any{1, 1, 0, 10, 60})
}

func TestClLogGap(t *testing.T) {
	h := servertest.New(t)
	const ask = "CL.LOG k 10 60 1 GAP 2"
	h.Want(ask, []any{0, 10, 9, -1, 60})
	h.Advance(500 * time.Millisecond)
	h.Want(ask+" MS", []any{1, 10, 9, 1500, 59500})
	h.Want("CL.LOG k 10 60 0 GAP 2", []any{0, 10, 9, -1, 60})
	h.Advance(1500 * time.Millisecond)
	h.Want(ask, []any{0, 10, 8, -1, 60})
	h.Want(ask+" STRICT", []any{1, 10, 7, 2, 60})
	h.Advance(1999 * time.Millisecond)
	h.Want(ask, []any{1, 10, 7, 1, 59})
}

// TestClLogResolution: the log of 500 actions an hour has one entry a minute, and never allows more
// actions.
func TestClLogResolution(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	const ask = "CL.LOG k 500 3600 %d RESOLUTION 60"
	for i := range 10 {
		h.Want(fmt.Sprintf(ask, 30), []any{0, 500, 470 - 30*i, -1, 3600})
		h.Advance(12 * time.Second)
	}
	h.Want("ZRANGE k 0 -1", []string{"1790000036000000000x120", "1790000096000000000x150", "1790000108000000000x30"})
	h.Want(fmt.Sprintf(ask, 200), []any{0, 500, 0, -1, 3600})
	h.Want(fmt.Sprintf(ask, 1), []any{1, 500, 0, 3516, 3600})
	h.Want(fmt.Sprintf(ask, 121), []any{1, 500, 0, 3576, 3600})
	h.Advance(3516 * time.Second)
	h.Want(fmt.Sprintf(ask, 120), []any{0, 500, 0, -1, 3600})
	h.Want("ZCARD k", 3)
	h.Want("CL.LOG k 500 3600 1", []any{1, 500, 0, 60, 3600})
	h.Advance(3600 * time.Second)
	h.Want("CL.LOG k 500 3600 1", []any{0, 500, 499, -1, 3600})
	h.Want("ZCARD k", 1)
}

// TestClLogForgets: a request forgets some of the old entries at a time, and none of them counts.
func TestClLogForgets(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	for key, options := range map[string]string{"k": "", "strict": " STRICT"} {
		ask := "CL.LOG " + key + " 5000 60 1" + options
		h.Do("CL.LOG " + key + " 5000 60 4500")
		h.Advance(59 * time.Second)
		h.Want(ask, []any{0, 5000, 499, -1, 60})
		h.Advance(2 * time.Second)
		for i, entries := range []int{3501, 2501, 1501, 501, 6} {
			h.Want(ask, []any{0, 5000, 4998 - i, -1, 60})
			h.Want("ZCARD "+key, entries)
		}
		h.Advance(58 * time.Second)
		h.Want("CL.LOG "+key+" 5000 60 0", []any{0, 5000, 4995, -1, 2})
	}
	h.Do("CL.LOG shared 9000 60 4500")
	h.Advance(59 * time.Second)
	h.Do("CL.LOG shared 9000 60 1")
	h.Advance(2 * time.Second)
	h.Want("CL.LOG shared 9000 60 5000 RESOLUTION 1", []any{0, 9000, 3999, -1, 60})
	h.Want("ZCARD shared", 4501-1000+1) // one entry more, whatever its quantity
}

// TestClLogStrictLarge: a refused quantity is one entry, however large it is. It refuses others for a period.
func TestClLogStrictLarge(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want("CL.LOG k 1000000000 60 7 STRICT", []any{0, 1000000000, 999999993, -1, 60})
	h.Advance(time.Second)
	h.Want("CL.LOG k 1000000000 60 2000000000 STRICT", []any{1, 1000000000, 0, -1, 60})
	h.Want("ZRANGE k 0 -1", []string{"1790000001000000000x1000000000"})
	h.Advance(time.Second)
	h.Want("CL.LOG k 1000000000 60", []any{1, 1000000000, 0, 59, 59})
	h.Advance(59*time.Second - 1)
	h.Want("CL.LOG k 1000000000 60", []any{1, 1000000000, 0, 1, 1})
	h.Advance(1)
	h.Want("CL.LOG k 1000000000 60", []any{0, 1000000000, 999999999, -1, 60})
}

// TestClLogStrict follows the eight points of rolling-rate-limiter:
// https://github.com/peterkhayes/rolling-rate-limiter#method-of-operation
func TestClLogStrict(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	const ask = "CL.LOG user 3 60 1 STRICT GAP 1"

	// 1. The key of a user is a sorted set with the times of requests, in microseconds.
	h.Want(ask, []any{0, 3, 2, -1, 60})
	h.Want("ZRANGE user 0 -1 WITHSCORES", []string{"1790000000000000000", "1790000000000000"})

	// 2. A new request drops the entries that are a period old.
	h.Advance(60 * time.Second)
	h.Want(ask, []any{0, 3, 2, -1, 60})
	h.Want("ZCARD user", 1)

	// 4. A request too soon after the last one is limited,
	h.Advance(time.Second - 1)
	h.Want(ask, []any{1, 3, 1, 1, 60})
	// 5. and logged, too,
	h.Want("ZCARD user", 2)
	// 6. so the gap starts again.
	h.Advance(time.Second - 1)
	h.Want(ask, []any{1, 3, 0, 59, 60})

	// 3. If the period has limit entries, a request is limited.
	h.Advance(30 * time.Second)
	h.Want(ask, []any{1, 3, 0, 30, 60})
	h.Want("ZCARD user", 3)
	// 6. A client that keeps trying is limited until it pauses for a whole period.
	for i := range 20 {
		limited := h.Do("CL.LOG hammer 3 60 STRICT").([]any)[0] == int64(1)
		require.Equal(t, i >= 3, limited, i)
		h.Advance(15 * time.Second)
	}
	h.Want("ZCARD hammer", 3) // more entries would change nothing
	h.Advance(45 * time.Second)
	h.Want("CL.LOG hammer 3 60 STRICT", []any{0, 3, 2, -1, 60})

	// 7. Each key has its own limit.
	h.Want("CL.LOG api:user 3 60 1 STRICT GAP 1", []any{0, 3, 2, -1, 60})
	// 8. A check with its update is atomic: see TestManyClients.
}

// TestClLogOtherMembers counts members that clients add with ZADD, and works after the clock went
// back.
func TestClLogOtherMembers(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZADD k 1700000000123456 mine 1600000000000000 old", 2)
	h.Want("CL.LOG k 3 60 0", []any{0, 3, 2, -1, 60})
	h.Want("CL.LOG k 3 60", []any{0, 3, 1, -1, 60})
	h.Want("ZRANGE k 0 -1", []string{"1700000000123456789", "mine"})
	h.Advance(-30 * time.Second)
	h.Want("CL.LOG k 3 60", []any{0, 3, 0, -1, 90})
	h.Want("CL.LOG k 3 60", []any{1, 3, 0, 60, 90})
	h.Want("ZADD far 1e300 m -1e300 n", 2)
	h.Want("CL.LOG far 1 60", []any{1, 1, 0, 7300000090, 7300000090})
}
