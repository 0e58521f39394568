package commands

import (
	"testing"
	"time"
)

func TestExists(t *testing.T) {
	h := newHarness(t)
	h.want("MSET a 1 b 2", ok)
	h.want("EXISTS a absent b a", 3)
	h.want("PEXPIRE a 5", 1)
	h.advance(5 * time.Millisecond)
	h.want("EXISTS a", 1)
	h.advance(time.Millisecond)
	h.want("EXISTS a", 0)
}

func TestTouch(t *testing.T) {
	h := newHarness(t)
	h.want("MSET a 1 b 2", ok)
	h.advance(10 * time.Second)
	h.want("EXISTS a", 1)
	h.want("OBJECT IDLETIME a", 10)
	h.want("TOUCH a absent a b", 3)
	h.want("OBJECT IDLETIME a", 0)
}
