package commands

import "testing"

func TestRename(t *testing.T) {
	h := newHarness(t)
	h.want("RENAME a b", errNoSuchKey)
	h.want("SET a 1 PX 100", ok)
	h.want("SET b x", ok)
	h.want("RENAME a b", ok)
	h.want("MGET a b", []any{nil, "1"})
	h.want("PTTL b", 100)
	h.want("SET a x", ok)
	h.want("RENAME a b", ok)
	h.want("PTTL b", -1)
	h.want("RENAME b b", ok)
	h.want("GET b", "x")
	h.sortedSet("z", "m", "n")
	h.want("RENAME z b", ok)
	h.want("TYPE b", typeOf("zset"))
	h.want("RENAME absent absent", errNoSuchKey)
}

func TestRenameNX(t *testing.T) {
	h := newHarness(t)
	h.want("RENAMENX a b", errNoSuchKey)
	h.want("MSET a 1 b 2", ok)
	h.want("RENAMENX a b", 0)
	h.want("RENAMENX a a", 0)
	h.want("RENAMENX a c", 1)
	h.want("MGET a b c", []any{nil, "2", "1"})
}
