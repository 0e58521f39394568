package commands

import "testing"

func TestDebugSleepInsideATransaction(t *testing.T) {
	h := newHarness(t)
	h.do("MULTI")
	h.do("DEBUG SLEEP 10")
	h.do("INCR n")
	h.want("EXEC", []any{ok, 1})
}
