package commands

import "testing"

func TestAppend(t *testing.T) {
	h := newHarness(t, "--proto-max-bulk-len", "1mb")
	h.want("APPEND k 1", 1)
	h.want("PEXPIRE k 100", 1)
	h.want("APPEND k 0", 2)
	h.want("GET k", "10")
	h.want("PTTL k", 100)
	h.want("INCR k", 11)
	h.want(`APPEND k ""`, 2)
	h.want("APPEND k abc", 5)
	h.want("GET k", "11abc")
	h.want(`APPEND new ""`, 0)
	h.want("EXISTS new", 1)
	h.want("SETRANGE long 1048574 x", 1<<20-1)
	h.want("APPEND long y", 1<<20)
	h.want("APPEND long z", errTooLong)
	h.want("STRLEN long", 1<<20)
	h.sortedSet("z", "m")
	h.want("APPEND z v", errWrongType)
}
