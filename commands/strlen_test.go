package commands

import "testing"

func TestStrLen(t *testing.T) {
	h := newHarness(t)
	h.want("STRLEN k", 0)
	h.want("SET k abc", ok)
	h.want("STRLEN k", 3)
	h.want("SET k -9223372036854775808", ok)
	h.want("STRLEN k", 20)
	h.sortedSet("z", "m")
	h.want("STRLEN z", errWrongType)
}
