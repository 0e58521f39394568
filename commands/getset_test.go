package commands

import "testing"

func TestGetSet(t *testing.T) {
	h := newHarness(t)
	h.want("GETSET k v", nil)
	h.want("EXPIRE k 10", 1)
	h.want("GETSET k w", "v")
	h.want("TTL k", -1)
	h.want("GET k", "w")
	h.sortedSet("z", "m")
	h.want("GETSET z v", errWrongType)
	h.want("TYPE z", typeOf("zset"))
}
