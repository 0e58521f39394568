package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"
)

func TestDel(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET a 1 b two", ok)
	h.SortedSet("z", "m")
	h.Want("DEL a b z a absent", 3)
	h.Want("EXISTS a b z", 0)
	h.Want("SET a 1 PX 1", ok)
	h.Advance(2 * time.Millisecond)
	h.Want("DEL a", 0)
}

func TestUnlink(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET a 1 b two", ok)
	h.Want("UNLINK a b b", 2)
	h.Want("EXISTS a b", 0)
	h.Want("UNLINK", commands.WrongArity("unlink").(commands.Error))
}
