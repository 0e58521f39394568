package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestGetDel(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v", ok)
	h.Want("GETDEL k", "v")
	h.Want("GETDEL k", nil)
	h.Want("EXISTS k", 0)
	h.SortedSet("z", "m")
	h.Want("GETDEL z", commands.ErrWrongType)
	h.Want("EXISTS z", 1)
}
