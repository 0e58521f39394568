package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestMGet(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET a 1", ok)
	h.Want("SET b two", ok)
	h.SortedSet("z", "m")
	h.Want("MGET a b absent z a", []any{"1", "two", nil, nil, "1"})
	h.Want("MGET", commands.WrongArity("mget").(commands.Error))
}
