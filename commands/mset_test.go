package commands

import "testing"

func TestMSet(t *testing.T) {
	h := newHarness(t)
	h.want("SET a 0 EX 10", ok)
	h.sortedSet("z", "m")
	h.want("MSET a 1 b 2 a 3 z 4", ok)
	h.want("MGET a b z", []string{"3", "2", "4"})
	h.want("TTL a", -1)
	h.want("MSET a 1 b", wrongArity("mset").(Error))
	h.want("GET a", "3")
}

func TestMSetNX(t *testing.T) {
	h := newHarness(t)
	h.want("MSETNX a 1 b 2 a 3", 1)
	h.want("MSETNX c 1 b 3", 0)
	h.want("MGET a b c", []any{"3", "2", nil})
	h.want("MSETNX a 1 b", wrongArity("msetnx").(Error))
}
