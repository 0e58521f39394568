package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClPace delays actions instead of refusing them.
func TestClPace(t *testing.T) {
	h := servertest.New(t)
	for i := range 3 { // a burst of max_burst+1
		h.Want("CL.PACE k 2 10 1 MS", []any{0, 3, 2 - i, -1, 100 + 100*i, 0})
	}
	h.Want("GET k", "1700000000223456789 0")
	h.Want("CL.PACE k 2 10 1 5 MS", []any{0, 3, 0, -1, 800, 100})
	h.Want("CL.PACE k 2 10 1 0 MS", []any{0, 3, 0, -1, 800, 600})
	h.Want("CL.PACE k 2 10 1 PEEK", []any{0, 3, 0, -1, 1, 600})
	h.Want("CL.PACE k 2 10 1 MAXWAIT 0.25 MS", []any{1, 3, 0, 350, 800, 0})
	h.Advance(349 * time.Millisecond)
	h.Want("CL.PACE k 2 10 1 MAXWAIT 0.25 MS", []any{1, 3, 0, 1, 451, 0})
	h.Advance(time.Millisecond)
	h.Want("CL.PACE k 2 10 1 MAXWAIT 0.25 MS", []any{0, 3, 0, -1, 550, 250})
	h.Advance(550*time.Millisecond - 1)
	h.Want("EXISTS k", 1)
	h.Want("CL.PACE k 2 10 1 0 MS", []any{0, 3, 2, -1, 1, 0})
	h.Advance(1)
	h.Want("CL.PACE k 2 10 1 0", []any{0, 3, 3, -1, 0, 0})
}

// TestClPaceQueue uses CL.PACE as a bounded queue: some actions wait, the others are limited.
func TestClPaceQueue(t *testing.T) {
	h := servertest.New(t)
	const ask = "CL.PACE q 0 2 1 MAXWAIT 1.5 MS"
	for i := range 4 {
		h.Want(ask, []any{0, 1, 0, -1, 500 * (i + 1), 500 * i})
	}
	h.Want(ask, []any{1, 1, 0, 500, 2000, 0})
	h.Advance(500 * time.Millisecond)
	h.Want(ask, []any{0, 1, 0, -1, 2000, 1500})
}

// TestClPaceWarmup: the rate grows from a third to the full rate.
func TestClPaceWarmup(t *testing.T) {
	h := servertest.New(t)
	const ask = "CL.PACE k 0 10 1 1 WARMUP 1 MS"
	h.Want(ask, []any{0, 1, 0, -1, 380, 0}) // 280 ms until the next action may begin, and 100 ms until the limiter is cold
	for _, held := range []int64{280, 240, 200, 160, 120, 100, 100} {
		reply := h.Do(ask).([]any)
		h.Advance(time.Duration(held) * time.Millisecond)
		require.Equal(t, []any{int64(0), int64(1), int64(0), int64(-1), held}, append(reply[:4:4], reply[5]))
	}
	h.Want("CL.PACE k 0 10 1 1 WARMUP 1 MAXWAIT 0.05 MS", []any{1, 1, 0, 50, 900, 0})
}

// TestClPaceOtherValues: a string that is not a state of CL.PACE is an error.
func TestClPaceOtherValues(t *testing.T) {
	h := servertest.New(t)
	for _, value := range []string{"5", "1 2 3", "1 x", "x", "1  2"} {
		h.Want(`SET k "`+value+`"`, ok)
		h.Want("CL.PACE k 0 1 1", errNoPace)
	}
	h.Want(`SET k "9223372036854775807 0"`, ok)
	h.Want("CL.PACE k 0 1 1", commands.Error("ERR quantity reaches too far: the next request would not be free to go before the year 2262"))
	h.Want(`SET k "-9223372036854775808 -1"`, ok)
	h.Want("CL.PACE k 1 1 1", []any{0, 2, 1, -1, 1, 0})
}
