package commands

import "testing"

func TestType(t *testing.T) {
	h := newHarness(t)
	h.want("MSET n 1 s abc", ok)
	h.sortedSet("z", "m")
	for key, name := range map[string]string{"n": "string", "s": "string", "z": "zset", "absent": "none"} {
		h.want("TYPE "+key, typeOf(name))
	}
}
