package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestLSet(t *testing.T) {
	h := servertest.New(t)
	h.Want("LSET l 0 a", commands.ErrNoSuchKey)
	h.Want("LSET l x a", commands.ErrNoSuchKey)
	h.Do("RPUSH l a b c")
	h.Want("LSET l 1 B", servertest.OK)
	h.Want("LSET l -1 12345", servertest.OK)
	h.Want("LRANGE l 0 -1", []string{"a", "B", "12345"})
	h.Want("LSET l 3 x", errIndex)
	h.Want("LSET l -4 x", errIndex)
	h.Want("LSET l x x", commands.ErrNotInteger)
	h.Do("INCR n")
	h.Want("LSET n x a", commands.ErrWrongType)
}

func TestLTrim(t *testing.T) {
	h := servertest.New(t)
	h.Want("LTRIM l 0 1", servertest.OK)
	h.Do("RPUSH l a b c d e f")
	h.Want("LTRIM l 0 -1", servertest.OK)
	h.Want("LLEN l", 6)
	h.Want("LTRIM l 1 -2", servertest.OK)
	h.Want("LRANGE l 0 -1", []string{"b", "c", "d", "e"})
	h.Want("LTRIM l -3 100", servertest.OK)
	h.Want("LRANGE l 0 -1", []string{"c", "d", "e"})
	h.Want("LTRIM l x 1", commands.ErrNotInteger)
	h.Want("LTRIM l 5 7", servertest.OK)
	h.Want("EXISTS l", 0)
	h.Do("INCR n")
	h.Want("LTRIM n 0 1", commands.ErrWrongType)
}

// TestLTrimOfNothing removes nothing. As in Redis, that is a change for a watcher.
func TestLTrimOfNothing(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH l a b")
	h.Want("WATCH l", servertest.OK)
	h.Want("LTRIM l 0 -1", servertest.OK)
	h.Want("MULTI", servertest.OK)
	h.Do("LLEN l")
	h.Want("EXEC", resptest.NilArray)
}

func TestLRem(t *testing.T) {
	h := servertest.New(t)
	h.Want("LREM l 0 a", 0)
	h.Do("RPUSH l a b a c a 7 a")
	h.Want("LREM l 1 a", 1)
	h.Want("LREM l -1 a", 1)
	h.Want("LRANGE l 0 -1", []string{"b", "a", "c", "a", "7"})
	h.Want("LREM l 0 x", 0)
	h.Want("LREM l -9223372036854775808 a", 2)
	h.Want("LREM l 5 7", 1)
	h.Want("LREM l 0 b", 1)
	h.Want("LREM l 0 c", 1)
	h.Want("EXISTS l", 0)
	h.Do("INCR n")
	h.Want("LREM n x a", commands.ErrNotInteger)
	h.Want("LREM n 0 a", commands.ErrWrongType)
}
