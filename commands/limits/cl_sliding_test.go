package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClSliding has the examples from descriptions of sliding windows.
func TestClSliding(t *testing.T) {
	const minute = int64(60e9)
	h := servertest.New(t)
	// The window resets one nanosecond after the last action counts as less than one.
	t.Run("limit 7, 5 in the previous minute and 3 in this one, at 30 % of it", func(t *testing.T) {
		h.At(29_000_000 * minute)
		h.Want("CL.SLIDING a 7 60 5", []any{0, 7, 2, -1, 109})
		h.At(29_000_001 * minute)
		h.Want("CL.SLIDING a 9 60 3", []any{0, 9, 1, -1, 101})
		h.Advance(18 * time.Second)
		h.Want("CL.SLIDING a 7 60 0", []any{0, 7, 1, -1, 83})
		h.Want("GET a", "5000000003")
		h.Want("CL.SLIDING a 7 60", []any{0, 7, 0, -1, 88})
		h.Want("CL.SLIDING a 7 60", []any{1, 7, 0, 7, 88})
	})
	t.Run("limit 50, 42 in the previous minute and 18 in this one, 15 s into it", func(t *testing.T) {
		h.At(29_000_000 * minute)
		h.Do("CL.SLIDING b 50 60 42")
		h.At(29_000_001 * minute)
		h.Do("CL.SLIDING b 60 60 18")
		h.Advance(15 * time.Second)
		h.Want("CL.SLIDING b 50 60 PEEK", []any{0, 50, 0, -1, 102})
		h.Want("CL.SLIDING b 50 60", []any{0, 50, 0, -1, 102})
		h.Want("CL.SLIDING b 50 60 MS", []any{1, 50, 0, 715, 101843})
	})
	t.Run("nothing is left after two periods", func(t *testing.T) {
		h.At(29_000_000 * minute)
		h.Want("CL.SLIDING c 2 0.25 2 MS", []any{0, 2, 0, -1, 376})
		require.Equal(t, int64(500), h.Do("PTTL c"))
		h.Want("CL.SLIDING c 2 0.25 3", []any{1, 2, 0, -1, 1})
		h.Advance(500 * time.Millisecond)
		h.Want("CL.SLIDING c 2 0.25 2 MS", []any{0, 2, 0, -1, 376})
	})
}

// TestClSlidingOtherPeriod: actions that were counted with another period count until they expire.
// The next stored state has the new period.
func TestClSlidingOtherPeriod(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want("CL.SLIDING k 10 60 4", []any{0, 10, 6, -1, 86})
	h.Want("CL.SLIDING k 10 3600 0", []any{0, 10, 6, -1, 100})
	h.Want("CL.SLIDING k 3 3600 0", []any{1, 3, 0, 100, 100})
	h.Want("CL.SLIDING k 3 11 0", []any{1, 3, 0, 100, 100})
	h.Want("CL.SLIDING k 3 1 0 MS", []any{1, 3, 0, 99_001, 99_751}) // a window of one second ends at the same time
	h.Want("CL.SLIDING k 10 3600", []any{0, 10, 5, -1, 5681})
	h.Want("SET k -1 EX 100", ok)
	h.Want("CL.SLIDING k 3 60", commands.Error("ERR the key holds no sliding window: its integer is negative"))
	h.Want("PERSIST k", 1)
	h.Want("CL.SLIDING k 3 60", errNoWindow)
}
