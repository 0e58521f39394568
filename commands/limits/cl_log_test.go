package limits

import (
	"cellserver/server/servertest"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClLog is exact: an entry counts until one period after it, exclusive.
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

// TestClLogResolution keeps an entry a minute for 500 an hour, and never lets more through.
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

// TestClLogStrict are the eight points in which rolling-rate-limiter describes itself:
// https://github.com/peterkhayes/rolling-rate-limiter#method-of-operation
func TestClLogStrict(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	const ask = "CL.LOG user 3 60 1 STRICT GAP 1"

	// 1. A user's key is a sorted set of the times of attempts, in microseconds.
	h.Want(ask, []any{0, 3, 2, -1, 60})
	h.Want("ZRANGE user 0 -1 WITHSCORES", []string{"1790000000000000000", "1790000000000000"})

	// 2. What is as long ago as the period is dropped when a new action comes.
	h.Advance(60 * time.Second)
	h.Want(ask, []any{0, 3, 2, -1, 60})
	h.Want("ZCARD user", 1)

	// 4. One too close to the one before is blocked,
	h.Advance(time.Second - 1)
	h.Want(ask, []any{1, 3, 1, 1, 60})
	// 5. and added all the same,
	h.Want("ZCARD user", 2)
	// 6. so that the gap is counted from it.
	h.Advance(time.Second - 1)
	h.Want(ask, []any{1, 3, 0, 59, 60})

	// 3. With the limit reached in the period, one is blocked, however far from the last.
	h.Advance(30 * time.Second)
	h.Want(ask, []any{1, 3, 0, 30, 60})
	h.Want("ZCARD user", 3)
	// 6. Who keeps trying stays blocked until they pause for a whole period.
	for i := range 20 {
		limited := h.Do("CL.LOG hammer 3 60 STRICT").([]any)[0] == int64(1)
		require.Equal(t, i >= 3, limited, i)
		h.Advance(15 * time.Second)
	}
	h.Want("ZCARD hammer", 3) // no more than make a difference
	h.Advance(45 * time.Second)
	h.Want("CL.LOG hammer 3 60 STRICT", []any{0, 3, 2, -1, 60})

	// 7. Other keys are other limiters.
	h.Want("CL.LOG api:user 3 60 1 STRICT GAP 1", []any{0, 3, 2, -1, 60})
	// 8. One check and update is one command: nobody comes between, see TestManyClients.
}

// TestClLogOtherMembers counts what clients added themselves, and goes on after bad clocks.
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
