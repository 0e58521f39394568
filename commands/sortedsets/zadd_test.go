package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"math"
	"testing"
)

func TestZAdd(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZADD z 1 a 2 b 1 a", 2)
	h.Want("ZADD z CH 1 a 3 b 4 c", 2)
	h.Want("ZADD z NX 9 a 9 d", 1)
	h.Want("ZADD z XX CH 2 a 5 e", 1)
	h.Want("ZADD z GT CH 1 a 10 b 7 f", 2)
	h.Want("ZADD z XX LT CH 1 a 11 b 1 g", 1)
	h.Want("ZRANGE z 0 -1 WITHSCORES", []string{"a", "1", "c", "4", "f", "7", "d", "9", "b", "10"})
	h.Want("ZADD absent XX 1 a", 0)
	h.Want("GET absent", nil)
}

func TestZAddIncr(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZADD z INCR 1.5 a", "1.5")
	h.Want("ZADD z INCR -3 a", "-1.5")
	h.Want("ZADD z NX INCR 1 a", nil)
	h.Want("ZADD z NX INCR 1 b", "1")
	h.Want("ZADD z XX INCR 1 absent", nil)
	h.Want("ZADD absent XX INCR 1 absent", nil)
	h.Want("ZADD z GT INCR -1 a", nil)
	h.Want("ZADD z LT INCR -1 a", "-2.5")
	h.Want("ZINCRBY z 0x10 b", "17")
	h.Want("ZINCRBY z inf b", "inf")
	h.Want("ZINCRBY z -inf b", errScoreNaN)
	h.Want("ZADD z GT INCR -inf b", errScoreNaN)
	h.Want("ZADD z INCR -0 zero", "-0")
	h.Want("ZSCORE z zero", "0")
	h.Do("HELLO 3")
	h.Want("ZADD z NX INCR 1 a", nil)
	h.Want("ZINCRBY z 1 a", -1.5)
	h.Want("ZINCRBY z inf a", math.Inf(1))
}

// TestZAddErrors: the first failed check of Redis is the reply, and nothing is written.
func TestZAddErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Want("ZADD z 1", commands.Error("ERR wrong number of arguments for 'zadd' command"))
	h.Want("ZADD z 1 a 2", commands.ErrSyntax)
	h.Want("ZADD z NX CH", commands.ErrSyntax)
	h.Want("ZADD z NX XX GT 1 a", commands.Error("ERR XX and NX options at the same time are not compatible"))
	for _, o := range []string{"NX GT", "NX LT", "GT LT", "XX LT GT"} {
		h.Want("ZADD z "+o+" x a", commands.Error("ERR GT, LT, and/or NX options at the same time are not compatible"))
	}
	h.Want("ZADD z INCR x a y b", commands.Error("ERR INCR option supports a single increment-element pair"))
	h.Want("ZADD z 1 a x b", commands.ErrNotFloat)
	h.Want("ZADD s x a", commands.ErrNotFloat)
	h.Want("ZADD s 1 a", commands.ErrWrongType)
	h.Want("ZINCRBY s 1 a", commands.ErrWrongType)
	h.Want("ZINCRBY z nan a", commands.ErrNotFloat)
	h.Want("ZINCRBY z CH a", commands.ErrSyntax)
	h.Want("GET z", nil)
}
