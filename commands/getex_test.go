package commands

import "testing"

func TestGetEx(t *testing.T) {
	h := newHarness(t)
	h.want("GETEX k EX 0", nil)
	h.want("SET k v", ok)
	h.want("GETEX k", "v")
	h.want("PTTL k", -1)
	h.want("GETEX k EX 10", "v")
	h.want("PTTL k", 10_000)
	h.want("GETEX k", "v")
	h.want("PTTL k", 10_000)
	h.want("GETEX k PX 20", "v")
	h.want("PTTL k", 20)
	h.want("GETEX k EXAT 1700000001", "v")
	h.want("PTTL k", 877)
	h.want("GETEX k PXAT 1700000000200", "v")
	h.want("PTTL k", 77)
	h.want("GETEX k PERSIST", "v")
	h.want("PTTL k", -1)
	for _, options := range []string{"KEEPTTL", "NX", "GET", "EX", "PERSIST EX 1", "EX 1 PERSIST", "EX 1 PX 1"} {
		h.want("GETEX k "+options, errSyntax)
	}
	h.want("GETEX k EX x", errNotInteger)
	h.want("GETEX k EX 0", invalidExpire("getex").(Error))
	h.want("GETEX k PX 9223372036854775807", invalidExpire("getex").(Error))
	h.want("GETEX k PXAT 1700000000123", "v")
	h.want("EXISTS k", 0)
	h.sortedSet("z", "m")
	h.want("GETEX z EX 0", errWrongType)
}
