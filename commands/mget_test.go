package commands

import "testing"

func TestMGet(t *testing.T) {
	h := newHarness(t)
	h.want("SET a 1", ok)
	h.want("SET b two", ok)
	h.sortedSet("z", "m")
	h.want("MGET a b absent z a", []any{"1", "two", nil, nil, "1"})
	h.want("MGET", wrongArity("mget").(Error))
}
