package commands

import "testing"

func TestGetDel(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v", ok)
	h.want("GETDEL k", "v")
	h.want("GETDEL k", nil)
	h.want("EXISTS k", 0)
	h.sortedSet("z", "m")
	h.want("GETDEL z", errWrongType)
	h.want("EXISTS z", 1)
}
