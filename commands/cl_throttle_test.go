package commands

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClThrottle is the story of redis-cell's own documentation, and what it does not say.
func TestClThrottle(t *testing.T) {
	h := newHarness(t)
	h.at(1_790_000_000_000_000_000)
	h.want("CL.THROTTLE user 15 30 60 1", []any{0, 16, 15, -1, 2})
	h.want("CL.THROTTLE user 15 30 60", []any{0, 16, 14, -1, 4})
	h.want("CL.PROBE user 15 30 60", []any{0, 16, 13, -1, 6})
	h.want("CL.PROBE user 15 30 60 15", []any{1, 16, 14, 2, 4})
	h.want("CL.THROTTLE user 15 30 60 0", []any{0, 16, 14, -1, 4})
	h.want("GET user", "1790000004000000000")
	h.advance(1500 * time.Millisecond)
	h.want("CL.THROTTLE user 15 30 60 14", []any{0, 16, 0, -1, 31})
	h.want("CL.THROTTLE user 15 30 60 2", []any{1, 16, 0, 3, 31})
	h.want("CL.THROTTLE user 15 30 60 17", []any{1, 16, 0, -1, 31})

	// A refund gives back at once, and never beyond full.
	h.want("CL.THROTTLE user 15 30 60 -3", []any{0, 16, 3, -1, 25})
	h.want("CL.THROTTLE user 15 30 60 -1000", []any{0, 16, 16, -1, 0})
	h.want("GET user", nil)
	h.want("CL.THROTTLE fresh 15 30 60 0", []any{0, 16, 16, -1, 0})
	h.want("CL.THROTTLE fresh 15 30 60 -1", []any{0, 16, 16, -1, 0})
	h.want("GET fresh", nil)
}

func TestClThrottleWaitBelowAMillisecond(t *testing.T) {
	h := newHarness(t)
	h.want("CL.THROTTLE k 0 10000 1", []any{0, 1, 0, -1, 1})
	h.want("CL.THROTTLE k 0 10000 1", []any{1, 1, 0, 1, 1})
	h.advance(100*time.Microsecond - 1)
	h.want("CL.THROTTLE k 0 10000 1", []any{1, 1, 0, 1, 1})
	h.advance(1)
	h.want("CL.THROTTLE k 0 10000 1", []any{0, 1, 0, -1, 1})
}

func TestClThrottleErrors(t *testing.T) {
	h := newHarness(t)
	for _, args := range []string{"", "k", "k 1", "k 1 2", "k 1 2 3 4 5"} {
		h.want("CL.THROTTLE "+args, throttleUsage)
		h.want("CL.PROBE "+args, throttleUsage)
	}
	for _, n := range []string{"abc", "1.5", "1e3", `" 1"`, `""`, "0x10", "9223372036854775808"} {
		for i := range 4 {
			args := []any{"CL.THROTTLE", "k", "1", "2", "3", "4"}
			bare := n
			if n[0] == '"' {
				bare = n[1 : len(n)-1]
			}
			args[2+i] = bare
			want := Error("Cell error: Store error: Couldn't parse as integer: " + bare)
			if got := h.do(args...); fmt.Sprint(got) != fmt.Sprint(h.wire(want)) {
				t.Fatalf("%v: got %v, want %v", args, got, want)
			}
		}
	}
	const zero = Error("Cell error: Store error: Zero rates are not supported")
	h.want("CL.THROTTLE k 1 0 1", zero)
	h.want("CL.THROTTLE k 1 1 -0", zero)
	h.want("CL.THROTTLE k 10 2000000000 1", zero)
	h.want("CL.THROTTLE k +1 007 1", []any{0, 2, 1, -1, 1})
	for _, args := range []string{"-1 1 1", "1 -1 1", "1 1 -1", "-1 -1 -1", fmt.Sprint(math.MaxInt64, " 1 1"),
		fmt.Sprint("1 1 ", math.MaxInt64), fmt.Sprint("1 1 1 ", math.MaxInt64)} {
		reply := fmt.Sprint(h.do("CL.THROTTLE other " + args))
		if len(reply) < 4 || reply[:4] != "ERR " {
			t.Fatalf("%s: %s", args, reply)
		}
	}
	h.want("GET other", nil)
}

// TestClThrottleOtherValues: what kills a Redis with redis-cell is an error here.
func TestClThrottleOtherValues(t *testing.T) {
	h := newHarness(t)
	h.want("INCRBY count 5", 5) // long past, as a TAT: a full quota
	h.want("CL.THROTTLE count 1 1 1", []any{0, 2, 1, -1, 1})
	h.do("CL.THROTTLE", "\xff\x00{", "1", "1", "1")
	h.want("INCRBY future 9223372036854775807", math.MaxInt64)
	h.want("CL.THROTTLE future 1 1 1 0", []any{1, 2, 0, 7523372035, 7523372037})
}

// TestClThrottleAllocations: from the parsed arguments to the reply nothing is allocated,
// whether the key is new to its period, used, or limited.
func TestClThrottleAllocations(t *testing.T) {
	h := newHarness(t)
	w := h.session.Writer()
	args := [][]byte{[]byte("CL.THROTTLE"), []byte("user"), []byte("15"), []byte("30"), []byte("60")}
	for _, pause := range []time.Duration{time.Hour, time.Second, 0} {
		h.advance(time.Hour)
		allocs := testing.AllocsPerRun(100, func() {
			h.advance(pause)
			h.state.Begin()
			h.state.Handle(args, w)
			h.state.End()
			w.Reset()
		})
		require.Zero(t, allocs, "%v apart", pause)
	}
}
