package commands

import (
	"math"
	"testing"
)

func TestZAdd(t *testing.T) {
	h := newHarness(t)
	h.want("ZADD z 1 a 2 b 1 a", 2)
	h.want("ZADD z CH 1 a 3 b 4 c", 2)
	h.want("ZADD z NX 9 a 9 d", 1)
	h.want("ZADD z XX CH 2 a 5 e", 1)
	h.want("ZADD z GT CH 1 a 10 b 7 f", 2)
	h.want("ZADD z XX LT CH 1 a 11 b 1 g", 1)
	h.want("ZRANGE z 0 -1 WITHSCORES", []string{"a", "1", "c", "4", "f", "7", "d", "9", "b", "10"})
	h.want("ZADD absent XX 1 a", 0)
	h.want("GET absent", nil)
}

func TestZAddIncr(t *testing.T) {
	h := newHarness(t)
	h.want("ZADD z INCR 1.5 a", "1.5")
	h.want("ZADD z INCR -3 a", "-1.5")
	h.want("ZADD z NX INCR 1 a", nil)
	h.want("ZADD z NX INCR 1 b", "1")
	h.want("ZADD z XX INCR 1 absent", nil)
	h.want("ZADD absent XX INCR 1 absent", nil)
	h.want("ZADD z GT INCR -1 a", nil)
	h.want("ZADD z LT INCR -1 a", "-2.5")
	h.want("ZINCRBY z 0x10 b", "17")
	h.want("ZINCRBY z inf b", "inf")
	h.want("ZINCRBY z -inf b", errScoreNaN)
	h.want("ZADD z GT INCR -inf b", errScoreNaN)
	h.want("ZADD z INCR -0 zero", "-0")
	h.want("ZSCORE z zero", "0")
	h.do("HELLO 3")
	h.want("ZADD z NX INCR 1 a", nil)
	h.want("ZINCRBY z 1 a", -1.5)
	h.want("ZINCRBY z inf a", math.Inf(1))
}

// The first of Redis's checks that fails is the reply, and then nothing is written.
func TestZAddErrors(t *testing.T) {
	h := newHarness(t)
	h.do("INCR s")
	h.want("ZADD z 1", Error("ERR wrong number of arguments for 'zadd' command"))
	h.want("ZADD z 1 a 2", errSyntax)
	h.want("ZADD z NX CH", errSyntax)
	h.want("ZADD z NX XX GT 1 a", Error("ERR XX and NX options at the same time are not compatible"))
	for _, o := range []string{"NX GT", "NX LT", "GT LT", "XX LT GT"} {
		h.want("ZADD z "+o+" x a", Error("ERR GT, LT, and/or NX options at the same time are not compatible"))
	}
	h.want("ZADD z INCR x a y b", Error("ERR INCR option supports a single increment-element pair"))
	h.want("ZADD z 1 a x b", errNotFloat)
	h.want("ZADD s x a", errNotFloat)
	h.want("ZADD s 1 a", errWrongType)
	h.want("ZINCRBY s 1 a", errWrongType)
	h.want("ZINCRBY z nan a", errNotFloat)
	h.want("ZINCRBY z CH a", errSyntax)
	h.want("GET z", nil)
}
