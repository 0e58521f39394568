package sortedsets

import (
	"cellserver/server/servertest"
	"testing"
)

func TestZInter(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 1 x 2 y 3 z")
	h.Do("ZADD b 10 y 20 z 30 w")
	h.Want("ZINTER 2 a b", []string{"y", "z"})
	h.Want("ZINTER 2 a b WITHSCORES WEIGHTS 2 1", []string{"y", "14", "z", "26"})
	h.Want("ZINTER 2 a b AGGREGATE MIN WITHSCORES", []string{"y", "2", "z", "3"})
	h.Want("ZINTER 2 b a AGGREGATE MAX WITHSCORES", []string{"y", "10", "z", "20"})
	h.Want("ZINTER 2 a a WITHSCORES", []string{"x", "2", "y", "4", "z", "6"})
	h.Want("ZINTER 2 a absent", []any{})
	h.Want("ZINTERSTORE d 2 a b", 2)
	h.Want("ZRANGE d 0 -1 WITHSCORES", []string{"y", "12", "z", "23"})
	h.Want("ZINTERSTORE d 2 absent a", 0)
	h.Want("GET d", nil)
	h.Do("HELLO 3")
	h.Want("ZINTER 2 a b WITHSCORES", []any{[]any{"y", 12.0}, []any{"z", 23.0}})
}

// TestZInterInfinity: zero times infinity is NaN. A sum with NaN is 0. Minimum and maximum ignore
// NaN.
func TestZInterInfinity(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 5 x")
	h.Do("ZADD b inf x")
	h.Want("ZINTER 2 a b WEIGHTS 1 0 WITHSCORES", []string{"x", "0"})
	h.Want("ZINTER 2 a b WEIGHTS 1 0 AGGREGATE MIN WITHSCORES", []string{"x", "5"})
	h.Want("ZINTER 2 b a WEIGHTS 0 1 AGGREGATE MAX WITHSCORES", []string{"x", "5"})
}

func TestZInterCard(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 1 x 2 y 3 z")
	h.Do("ZADD b 10 y 20 z 30 w")
	h.Want("ZINTERCARD 2 a b", 2)
	h.Want("ZINTERCARD 2 a b LIMIT 0", 2)
	h.Want("ZINTERCARD 2 a b LIMIT 1", 1)
	h.Want("ZINTERCARD 2 a b LIMIT 1 LIMIT 9", 2)
	h.Want("ZINTERCARD 2 a absent", 0)
}
