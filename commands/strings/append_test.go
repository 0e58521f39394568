package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestAppend(t *testing.T) {
	h := servertest.New(t, "--proto-max-bulk-len", "1mb")
	h.Want("APPEND k 1", 1)
	h.Want("PEXPIRE k 100", 1)
	h.Want("APPEND k 0", 2)
	h.Want("GET k", "10")
	h.Want("PTTL k", 100)
	h.Want("INCR k", 11)
	h.Want(`APPEND k ""`, 2)
	h.Want("APPEND k abc", 5)
	h.Want("GET k", "11abc")
	h.Want(`APPEND new ""`, 0)
	h.Want("EXISTS new", 1)
	h.Want("SETRANGE long 1048574 x", 1<<20-1)
	h.Want("APPEND long y", 1<<20)
	h.Want("APPEND long z", commands.ErrTooLong)
	h.Want("STRLEN long", 1<<20)
	h.SortedSet("z", "m")
	h.Want("APPEND z v", commands.ErrWrongType)
}
