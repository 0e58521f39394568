package commands

import "testing"

func TestSetRange(t *testing.T) {
	h := newHarness(t, "--proto-max-bulk-len", "1mb")
	h.want(`SETRANGE k 5 ""`, 0)
	h.want("EXISTS k", 0)
	h.want("SETRANGE k 2 ab", 4)
	h.want("GET k", "\x00\x00ab")
	h.want("SET n 123 PX 50", ok)
	h.want("SETRANGE n 1 x", 3)
	h.want("GET n", "1x3")
	h.want(`SETRANGE n 100 ""`, 3)
	h.want("PTTL n", 50)
	h.want("SETRANGE n 2 45", 4)
	h.want("GET n", "1x45")
	h.want("SETRANGE n -1 a", errOffset)
	h.want("SETRANGE n x a", errNotInteger)
	h.want("SETRANGE n 1048576 a", errTooLong)
	h.want("SETRANGE n 9223372036854775807 a", errTooLong)
	h.want("SETRANGE n 1048575 a", 1<<20)
	h.sortedSet("z", "m")
	h.want(`SETRANGE z 0 ""`, errWrongType)
}
