package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"
)

// TestGcra has cases of the tests of the command in Redis.
func TestGcra(t *testing.T) {
	h := servertest.New(t)
	for left := 5; left >= 0; left-- {
		h.Want("GCRA k 5 1 60", []any{0, 6, left, -1, (6 - left) * 60})
	}
	h.Want("GCRA k 5 1 60", []any{1, 6, 0, 60, 360})
	h.Want("GCRA k 5 1 60 TOKENS 2 MS", []any{1, 6, 0, 120000, 360000})
	h.Want("GCRA half 1 1 0.5", []any{0, 2, 1, -1, 1})
	h.Advance(400 * time.Millisecond)
	h.Want("GCRA half 1 1 0.5 MS TOKENS 2", []any{1, 2, 1, 100, 100})
	h.Advance(100 * time.Millisecond)
	h.Want("GCRA half 1 1 0.5 TOKENS 2 PEEK", []any{0, 2, 0, -1, 1})
	h.Want("GCRA fast 1 10000 1", []any{0, 2, 1, -1, 1})
	h.Want("GCRA k 5 1 60 1", commands.Error("ERR syntax error: '1' is not an option of GCRA: use MS, PEEK, TOKENS"))
	h.Want("GCRA k 5 1 60 TOKENS", commands.Error("ERR syntax error: 'TOKENS' needs an integer after it"))
}
