package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/server/servertest"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClThrottle follows the documentation of redis-cell, with some cases beyond it.
func TestClThrottle(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want("CL.THROTTLE user 15 30 60 1", []any{0, 16, 15, -1, 2})
	h.Want("CL.THROTTLE user 15 30 60", []any{0, 16, 14, -1, 4})
	h.Want("CL.PROBE user 15 30 60", []any{0, 16, 13, -1, 6})
	h.Want("CL.PROBE user 15 30 60 15", []any{1, 16, 14, 2, 4})
	h.Want("CL.THROTTLE user 15 30 60 0", []any{0, 16, 14, -1, 4})
	h.Want("GET user", "1790000004000000000")
	h.Advance(1500 * time.Millisecond)
	h.Want("CL.THROTTLE user 15 30 60 14", []any{0, 16, 0, -1, 31})
	h.Want("CL.THROTTLE user 15 30 60 2", []any{1, 16, 0, 3, 31})
	h.Want("CL.THROTTLE user 15 30 60 17", []any{1, 16, 0, -1, 31})

	// A refund counts at once, and never exceeds the limit.
	h.Want("CL.THROTTLE user 15 30 60 -3", []any{0, 16, 3, -1, 25})
	h.Want("CL.THROTTLE user 15 30 60 -1000", []any{0, 16, 16, -1, 0})
	h.Want("GET user", nil)
	h.Want("CL.THROTTLE fresh 15 30 60 0", []any{0, 16, 16, -1, 0})
	h.Want("CL.THROTTLE fresh 15 30 60 -1", []any{0, 16, 16, -1, 0})
	h.Want("GET fresh", nil)
}

func TestClThrottleWaitBelowAMillisecond(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.THROTTLE k 0 10000 1", []any{0, 1, 0, -1, 1})
	h.Want("CL.THROTTLE k 0 10000 1", []any{1, 1, 0, 1, 1})
	h.Advance(100*time.Microsecond - 1)
	h.Want("CL.THROTTLE k 0 10000 1", []any{1, 1, 0, 1, 1})
	h.Advance(1)
	h.Want("CL.THROTTLE k 0 10000 1", []any{0, 1, 0, -1, 1})
}

func TestClThrottleErrors(t *testing.T) {
	h := servertest.New(t)
	for _, args := range []string{"", "k", "k 1", "k 1 2", "k 1 2 3 4 5"} {
		h.Want("CL.THROTTLE "+args, limiters.ErrThrottleUsage)
		h.Want("CL.PROBE "+args, limiters.ErrThrottleUsage)
	}
	for _, n := range []string{"abc", "1.5", "1e3", `" 1"`, `""`, "0x10", "9223372036854775808"} {
		for i := range 4 {
			args := []any{"CL.THROTTLE", "k", "1", "2", "3", "4"}
			bare := n
			if n[0] == '"' {
				bare = n[1 : len(n)-1]
			}
			args[2+i] = bare
			want := commands.Error("Cell error: Store error: Couldn't parse as integer: " + bare)
			if got := h.Do(args...); fmt.Sprint(got) != fmt.Sprint(h.Wire(want)) {
				t.Fatalf("%v: got %v, want %v", args, got, want)
			}
		}
	}
	const zero = commands.Error("Cell error: Store error: Zero rates are not supported")
	h.Want("CL.THROTTLE k 1 0 1", zero)
	h.Want("CL.THROTTLE k 1 1 -0", zero)
	h.Want("CL.THROTTLE k 10 2000000000 1", zero)
	h.Want("CL.THROTTLE k +1 007 1", []any{0, 2, 1, -1, 1})
	for _, args := range []string{"-1 1 1", "1 -1 1", "1 1 -1", "-1 -1 -1", fmt.Sprint(math.MaxInt64, " 1 1"),
		fmt.Sprint("1 1 ", math.MaxInt64), fmt.Sprint("1 1 1 ", math.MaxInt64)} {
		reply := fmt.Sprint(h.Do("CL.THROTTLE other " + args))
		if len(reply) < 4 || reply[:4] != "ERR " {
			t.Fatalf("%s: %s", args, reply)
		}
	}
	h.Want("GET other", nil)
}

// TestClThrottleOtherValues: values that crash a Redis with redis-cell are errors.
func TestClThrottleOtherValues(t *testing.T) {
	h := servertest.New(t)
	h.Want("INCRBY count 5", 5) // a TAT in the past: the whole limit is available
	h.Want("CL.THROTTLE count 1 1 1", []any{0, 2, 1, -1, 1})
	h.Do("CL.THROTTLE", "\xff\x00{", "1", "1", "1")
	h.Want("INCRBY future 9223372036854775807", math.MaxInt64)
	h.Want("CL.THROTTLE future 1 1 1 0", []any{1, 2, 0, 7523372035, 7523372037})
}

// TestClThrottleAllocations: a request allocates nothing, for new keys, used keys and limited keys.
func TestClThrottleAllocations(t *testing.T) {
	h := servertest.New(t)
	w := h.Session.Writer()
	args := [][]byte{[]byte("CL.THROTTLE"), []byte("user"), []byte("15"), []byte("30"), []byte("60")}
	for _, pause := range []time.Duration{time.Hour, time.Second, 0} {
		h.Advance(time.Hour)
		allocs := testing.AllocsPerRun(100, func() {
			h.Advance(pause)
			h.State.Handle(args, w)
			h.State.End()
			w.Reset()
		})
		require.Zero(t, allocs, "%v apart", pause)
	}
}
