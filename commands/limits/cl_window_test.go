package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"
)

// TestClWindow: a window begins with the first action.
func TestClWindow(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.WINDOW k 3 60", []any{0, 3, 2, -1, 60})
	h.Advance(20 * time.Second)
	h.Want("CL.WINDOW k 3 60 2", []any{0, 3, 0, -1, 40})
	h.Want("GET k", "3")
	h.Want("CL.WINDOW k 3 60", []any{1, 3, 0, 40, 40})
	h.Want("CL.WINDOW k 3 60 4", []any{1, 3, 0, -1, 40})
	h.Want("CL.WINDOW k 3 60 0", []any{0, 3, 0, -1, 40})
	h.Advance(40 * time.Second)
	h.Want("CL.WINDOW k 3 60 MS PEEK", []any{0, 3, 2, -1, 60000})
	h.Want("CL.WINDOW k 3 60 2 ms", []any{0, 3, 1, -1, 60000})
}

// TestClWindowAlign: windows begin with the minutes of the clock.
func TestClWindowAlign(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000) // 20 s into a minute
	h.Want("CL.WINDOW k 3 60 ALIGN 2", commands.ErrSyntax)
	h.Want("CL.WINDOW k 3 60 2 align", []any{0, 3, 1, -1, 40})
	h.Advance(39999 * time.Millisecond)
	h.Want("CL.WINDOW k 3 60 2 align", []any{1, 3, 1, 1, 1})
	h.Advance(time.Millisecond)
	h.Want("CL.WINDOW k 3 60 3 align", []any{0, 3, 0, -1, 60})
}
