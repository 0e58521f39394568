package commands

import (
	"testing"
	"time"
)

func TestDel(t *testing.T) {
	h := newHarness(t)
	h.want("MSET a 1 b two", ok)
	h.sortedSet("z", "m")
	h.want("DEL a b z a absent", 3)
	h.want("EXISTS a b z", 0)
	h.want("SET a 1 PX 1", ok)
	h.advance(2 * time.Millisecond)
	h.want("DEL a", 0)
}

func TestUnlink(t *testing.T) {
	h := newHarness(t)
	h.want("MSET a 1 b two", ok)
	h.want("UNLINK a b b", 2)
	h.want("EXISTS a b", 0)
	h.want("UNLINK", wrongArity("unlink").(Error))
}
