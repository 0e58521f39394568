package limits

import (
	"cellserver/server/servertest"
	"testing"
	"time"
)

// TestClCharge consumes more than the rest, and replies with the time until the debt is paid.
func TestClCharge(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.CHARGE api 3 4 1 12", []any{1, 4, -8, 2, 3})
	h.Want("CL.THROTTLE api 3 4 1 0", []any{1, 4, 0, 2, 3})
	h.Advance(2*time.Second - time.Millisecond)
	h.Want("CL.CHARGE api 3 4 1 0 MS", []any{1, 4, -1, 1, 1001})
	h.Advance(time.Millisecond)
	h.Want("CL.CHARGE api 3 4 1 0 MS", []any{0, 4, 0, -1, 1000})
	h.Want("CL.CHARGE api 3 4 1 -2 MS", []any{0, 4, 2, -1, 500})
	h.Want("CL.CHARGE api 3 4 1 5 MS PEEK", []any{1, 4, -3, 750, 1750})
	h.Want("CL.CHARGE api 3 4 1 -9", []any{0, 4, 4, -1, 0})
	h.Want("EXISTS api", 0)
	h.Want("CL.CHARGE api 3 4 0.001 1 MS", []any{0, 4, 3, -1, 1})
}
