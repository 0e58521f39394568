package commands

import "testing"

func TestZRem(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 1 a 2 b 3 c")
	h.want("ZREM z a x a c", 2)
	h.want("ZREM z b", 1)
	h.want("GET z", nil)
	h.want("ZREM z b", 0)
	h.do("INCR s")
	h.want("ZREM s a", errWrongType)
}
