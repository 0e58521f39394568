package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestGetEx(t *testing.T) {
	h := servertest.New(t)
	h.Want("GETEX k EX 0", nil)
	h.Want("SET k v", ok)
	h.Want("GETEX k", "v")
	h.Want("PTTL k", -1)
	h.Want("GETEX k EX 10", "v")
	h.Want("PTTL k", 10_000)
	h.Want("GETEX k", "v")
	h.Want("PTTL k", 10_000)
	h.Want("GETEX k PX 20", "v")
	h.Want("PTTL k", 20)
	h.Want("GETEX k EXAT 1700000001", "v")
	h.Want("PTTL k", 877)
	h.Want("GETEX k PXAT 1700000000200", "v")
	h.Want("PTTL k", 77)
	h.Want("GETEX k PERSIST", "v")
	h.Want("PTTL k", -1)
	for _, options := range []string{"KEEPTTL", "NX", "GET", "EX", "PERSIST EX 1", "EX 1 PERSIST", "EX 1 PX 1"} {
		h.Want("GETEX k "+options, commands.ErrSyntax)
	}
	h.Want("GETEX k EX x", commands.ErrNotInteger)
	h.Want("GETEX k EX 0", commands.InvalidExpire("getex").(commands.Error))
	h.Want("GETEX k PX 9223372036854775807", commands.InvalidExpire("getex").(commands.Error))
	h.Want("GETEX k PXAT 1700000000123", "v")
	h.Want("EXISTS k", 0)
	h.SortedSet("z", "m")
	h.Want("GETEX z EX 0", commands.ErrWrongType)
}
