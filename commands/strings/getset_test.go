package strings

import (
	"cellserver/commands"
	"cellserver/commands/commandtest"
	"testing"
)

func TestGetSet(t *testing.T) {
	h := commandtest.New(t)
	h.Want("GETSET k v", nil)
	h.Want("EXPIRE k 10", 1)
	h.Want("GETSET k w", "v")
	h.Want("TTL k", -1)
	h.Want("GET k", "w")
	h.SortedSet("z", "m")
	h.Want("GETSET z v", commands.ErrWrongType)
	h.Want("TYPE z", commandtest.TypeOf("zset"))
}
