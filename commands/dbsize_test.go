package commands

import (
	"testing"
	"time"
)

func TestDBSize(t *testing.T) {
	h := newHarness(t)
	h.want("DBSIZE", 0)
	h.want("MSET a 1 b 2", ok)
	h.want("SET c 3 PX 1", ok)
	h.advance(2 * time.Millisecond)
	h.want("DBSIZE", 3) // expired, and nobody has looked
	h.want("GET c", nil)
	h.want("DBSIZE", 2)
}
