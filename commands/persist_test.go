package commands

import "testing"

func TestPersist(t *testing.T) {
	h := newHarness(t)
	h.want("PERSIST k", 0)
	h.want("SET k v EX 10", ok)
	h.want("PERSIST k", 1)
	h.want("TTL k", -1)
	h.want("PERSIST k", 0)
	h.do("CL.THROTTLE t 5 1 10")
	h.want("PERSIST t", 1)
	h.want("PTTL t", -1)
}
