package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestMSet(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET a 0 EX 10", ok)
	h.SortedSet("z", "m")
	h.Want("MSET a 1 b 2 a 3 z 4", ok)
	h.Want("MGET a b z", []string{"3", "2", "4"})
	h.Want("TTL a", -1)
	h.Want("MSET a 1 b", commands.WrongArity("mset").(commands.Error))
	h.Want("GET a", "3")
}

func TestMSetNX(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSETNX a 1 b 2 a 3", 1)
	h.Want("MSETNX c 1 b 3", 0)
	h.Want("MGET a b c", []any{"3", "2", nil})
	h.Want("MSETNX a 1 b", commands.WrongArity("msetnx").(commands.Error))
}
