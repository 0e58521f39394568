package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"
)

// TestThrottle counts as CL.THROTTLE with a max_burst one lower, and has another reply.
func TestThrottle(t *testing.T) {
	h := servertest.New(t)
	h.Want("THROTTLE k 5 120 60", []any{1, 5, 4, 1, 0})
	h.Want("THROTTLE k 5 120 60 4", []any{1, 5, 0, 3, 0})
	h.Want("THROTTLE k 5 120 60", []any{0, 5, 0, 3, 1})
	for left := range 5 {
		h.Want("THROTTLE k 5 120 60 0 MS", []any{1, 5, left, 2500 - 500*left, 0})
		h.Advance(500 * time.Millisecond)
	}
	h.Want("THROTTLE k 5 120 60 6", []any{0, 5, 5, 0, -1})
	h.Want("THROTTLE one 1 1 1", []any{1, 1, 0, 1, 0})
	h.Want("THROTTLE one 1 1 1 PEEK", []any{0, 1, 0, 1, 1})
	h.Want("THROTTLE k 0 1 1", commands.Error("ERR max_burst '0' must be positive"))
}
