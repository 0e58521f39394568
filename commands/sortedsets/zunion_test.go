package sortedsets

import (
	"cellserver/server/servertest"
	"testing"
)

func TestZUnion(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 1 x 2 y")
	h.Do("ZADD b 10 y -5 z")
	h.Want("ZUNION 2 a b", []string{"z", "x", "y"})
	h.Want("ZUNION 3 a absent b WITHSCORES", []string{"z", "-5", "x", "1", "y", "12"})
	h.Want("ZUNION 2 a b WEIGHTS 2 0.5 AGGREGATE MIN WITHSCORES", []string{"z", "-2.5", "x", "2", "y", "4"})
	h.Want("ZUNION 2 a b AGGREGATE MIN AGGREGATE MAX WITHSCORES", []string{"z", "-5", "x", "1", "y", "10"})
	h.Want("ZUNION 2 a a WITHSCORES", []string{"x", "2", "y", "4"})
	h.Want("ZUNION 1 absent", []any{})
	h.Want("ZUNION 1 a WEIGHTS -0 WITHSCORES", []string{"x", "-0", "y", "-0"})
	h.Do("HELLO 3")
	h.Want("ZUNION 1 a WITHSCORES", []any{[]any{"x", 1.0}, []any{"y", 2.0}})
}

func TestZUnionInfinity(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a inf x")
	h.Do("ZADD b -inf x")
	h.Do("ZADD c 5 x")
	h.Want("ZUNION 2 a b WITHSCORES", []string{"x", "0"})
	h.Want("ZUNION 1 a WEIGHTS 0 WITHSCORES", []string{"x", "0"})
	h.Want("ZUNION 2 c a WEIGHTS 1 0 WITHSCORES", []string{"x", "5"})
}

func TestZUnionStore(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 1 x 2 y")
	h.Do("INCR d")
	h.Want("ZUNIONSTORE d 2 a a WEIGHTS 1 -2", 2)
	h.Want("ZRANGE d 0 -1 WITHSCORES", []string{"y", "-2", "x", "-1"})
	h.Want("ZUNIONSTORE a 2 a d", 2)
	h.Want("ZRANGE a 0 -1 WITHSCORES", []string{"x", "0", "y", "0"})
	h.Want("ZUNIONSTORE a 1 absent", 0)
	h.Want("GET a", nil)
	h.Want("ZUNIONSTORE z 1 d WEIGHTS -0", 2)
	h.Want("ZSCORE z x", "0")
}
