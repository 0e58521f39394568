package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestRename(t *testing.T) {
	h := servertest.New(t)
	h.Want("RENAME a b", commands.ErrNoSuchKey)
	h.Want("SET a 1 PX 100", ok)
	h.Want("SET b x", ok)
	h.Want("RENAME a b", ok)
	h.Want("MGET a b", []any{nil, "1"})
	h.Want("PTTL b", 100)
	h.Want("SET a x", ok)
	h.Want("RENAME a b", ok)
	h.Want("PTTL b", -1)
	h.Want("RENAME b b", ok)
	h.Want("GET b", "x")
	h.SortedSet("z", "m", "n")
	h.Want("RENAME z b", ok)
	h.Want("TYPE b", servertest.TypeOf("zset"))
	h.Want("RENAME absent absent", commands.ErrNoSuchKey)
}

func TestRenameNX(t *testing.T) {
	h := servertest.New(t)
	h.Want("RENAMENX a b", commands.ErrNoSuchKey)
	h.Want("MSET a 1 b 2", ok)
	h.Want("RENAMENX a b", 0)
	h.Want("RENAMENX a a", 0)
	h.Want("RENAMENX a c", 1)
	h.Want("MGET a b c", []any{nil, "2", "1"})
}
