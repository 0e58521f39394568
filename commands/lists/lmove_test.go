package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestLMove(t *testing.T) {
	h := servertest.New(t)
	h.Want("LMOVE l m LEFT RIGHT", nil)
	h.Do("RPUSH l a b c d")
	h.Want("LMOVE l m left RIGHT", "a")
	h.Want("LMOVE l m RIGHT RIGHT", "d")
	h.Want("LMOVE l m RIGHT LEFT", "c")
	h.Want("LRANGE m 0 -1", []string{"c", "a", "d"})
	h.Want("RPOPLPUSH l m", "b")
	h.Want("EXISTS l", 0)
	h.Want("LRANGE m 0 -1", []string{"b", "c", "a", "d"})
	h.Want("RPOPLPUSH l m", nil)
}

// TestListsTurn moves elements within one list. A list of one element stays, with its expiry.
func TestListsTurn(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH l a b c")
	for _, c := range []struct {
		ends string
		want []string
	}{
		{"LEFT LEFT", []string{"a", "b", "c"}}, {"RIGHT RIGHT", []string{"a", "b", "c"}},
		{"LEFT RIGHT", []string{"b", "c", "a"}}, {"RIGHT LEFT", []string{"a", "b", "c"}},
	} {
		h.Do("LMOVE l l " + c.ends)
		h.Want("LRANGE l 0 -1", c.want)
	}
	h.Do("RPUSH one a")
	h.Do("EXPIRE one 100")
	h.Want("RPOPLPUSH one one", "a")
	h.Want("LMOVE one one RIGHT RIGHT", "a")
	h.Want("TTL one", 100)
	h.Want("LRANGE one 0 -1", []string{"a"})
	h.Do("WATCH one")
	h.Want("LMOVE one one LEFT LEFT", "a")
	h.Do("MULTI")
	h.Do("LLEN one")
	h.Want("EXEC", resptest.NilArray)
}

func TestLMoveErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("RPUSH l a")
	h.Want("LMOVE l m UP LEFT", commands.ErrSyntax)
	h.Want("LMOVE l m LEFT UP", commands.ErrSyntax)
	h.Want("LMOVE n m LEFT LEFT", commands.ErrWrongType)
	h.Want("LMOVE l n LEFT LEFT", commands.ErrWrongType)
	h.Want("RPOPLPUSH l n", commands.ErrWrongType)
	h.Want("LMOVE absent n LEFT LEFT", nil)
	h.Want("LRANGE l 0 -1", []string{"a"})
}
