package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestLInsert(t *testing.T) {
	h := servertest.New(t)
	h.Want("LINSERT l BEFORE a b", 0)
	h.Do("RPUSH l a b a")
	h.Want("LINSERT l BEFORE a x", 4)
	h.Want("LINSERT l after a y", 5)
	h.Want("LINSERT l AFTER none z", -1)
	h.Want("LRANGE l 0 -1", []string{"x", "a", "y", "b", "a"})
	h.Want("LINSERT l BETWEEN a z", commands.ErrSyntax)
	h.Do("INCR n")
	h.Want("LINSERT n BEFORE a z", commands.ErrWrongType)
}
