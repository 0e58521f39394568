package commands

import "testing"

func TestZInter(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD a 1 x 2 y 3 z")
	h.do("ZADD b 10 y 20 z 30 w")
	h.want("ZINTER 2 a b", []string{"y", "z"})
	h.want("ZINTER 2 a b WITHSCORES WEIGHTS 2 1", []string{"y", "14", "z", "26"})
	h.want("ZINTER 2 a b AGGREGATE MIN WITHSCORES", []string{"y", "2", "z", "3"})
	h.want("ZINTER 2 b a AGGREGATE MAX WITHSCORES", []string{"y", "10", "z", "20"})
	h.want("ZINTER 2 a a WITHSCORES", []string{"x", "2", "y", "4", "z", "6"})
	h.want("ZINTER 2 a absent", []any{})
	h.want("ZINTERSTORE d 2 a b", 2)
	h.want("ZRANGE d 0 -1 WITHSCORES", []string{"y", "12", "z", "23"})
	h.want("ZINTERSTORE d 2 absent a", 0)
	h.want("GET d", nil)
	h.do("HELLO 3")
	h.want("ZINTER 2 a b WITHSCORES", []any{[]any{"y", 12.0}, []any{"z", 23.0}})
}

// Zero times infinity is NaN: as the sum's term it makes the sum 0, and no minimum or
// maximum takes it.
func TestZInterInfinity(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD a 5 x")
	h.do("ZADD b inf x")
	h.want("ZINTER 2 a b WEIGHTS 1 0 WITHSCORES", []string{"x", "0"})
	h.want("ZINTER 2 a b WEIGHTS 1 0 AGGREGATE MIN WITHSCORES", []string{"x", "5"})
	h.want("ZINTER 2 b a WEIGHTS 0 1 AGGREGATE MAX WITHSCORES", []string{"x", "5"})
}

func TestZInterCard(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD a 1 x 2 y 3 z")
	h.do("ZADD b 10 y 20 z 30 w")
	h.want("ZINTERCARD 2 a b", 2)
	h.want("ZINTERCARD 2 a b LIMIT 0", 2)
	h.want("ZINTERCARD 2 a b LIMIT 1", 1)
	h.want("ZINTERCARD 2 a b LIMIT 1 LIMIT 9", 2)
	h.want("ZINTERCARD 2 a absent", 0)
}
