package commands

import "testing"

func TestGet(t *testing.T) {
	h := newHarness(t)
	h.want("GET k", nil)
	h.want("INCRBY k 41", 41)
	h.want("GET k", "41")
	h.want("GET", Error("ERR wrong number of arguments for 'get' command"))
	h.do("HELLO 3")
	h.want("GET absent", nil)
}
