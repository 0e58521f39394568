package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestStrLen(t *testing.T) {
	h := servertest.New(t)
	h.Want("STRLEN k", 0)
	h.Want("SET k abc", ok)
	h.Want("STRLEN k", 3)
	h.Want("SET k -9223372036854775808", ok)
	h.Want("STRLEN k", 20)
	h.SortedSet("z", "m")
	h.Want("STRLEN z", commands.ErrWrongType)
}
