package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestSetRange(t *testing.T) {
	h := servertest.New(t, "--proto-max-bulk-len", "1mb")
	h.Want(`SETRANGE k 5 ""`, 0)
	h.Want("EXISTS k", 0)
	h.Want("SETRANGE k 2 ab", 4)
	h.Want("GET k", "\x00\x00ab")
	h.Want("SET n 123 PX 50", ok)
	h.Want("SETRANGE n 1 x", 3)
	h.Want("GET n", "1x3")
	h.Want(`SETRANGE n 100 ""`, 3)
	h.Want("PTTL n", 50)
	h.Want("SETRANGE n 2 45", 4)
	h.Want("GET n", "1x45")
	h.Want("SETRANGE n -1 a", errOffset)
	h.Want("SETRANGE n x a", commands.ErrNotInteger)
	h.Want("SETRANGE n 1048576 a", commands.ErrTooLong)
	h.Want("SETRANGE n 9223372036854775807 a", commands.ErrTooLong)
	h.Want("SETRANGE n 1048575 a", 1<<20)
	h.SortedSet("z", "m")
	h.Want(`SETRANGE z 0 ""`, commands.ErrWrongType)
}
