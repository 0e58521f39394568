package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestGetSet(t *testing.T) {
	h := servertest.New(t)
	h.Want("GETSET k v", nil)
	h.Want("EXPIRE k 10", 1)
	h.Want("GETSET k w", "v")
	h.Want("TTL k", -1)
	h.Want("GET k", "w")
	h.SortedSet("z", "m")
	h.Want("GETSET z v", commands.ErrWrongType)
	h.Want("TYPE z", servertest.TypeOf("zset"))
}
