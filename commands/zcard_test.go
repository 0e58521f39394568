package commands

import "testing"

func TestZCard(t *testing.T) {
	h := newHarness(t)
	h.want("ZCARD z", 0)
	h.do("ZADD z 1 a 2 b")
	h.want("ZCARD z", 2)
	h.do("INCR s")
	h.want("ZCARD s", errWrongType)
}
