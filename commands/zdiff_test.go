package commands

import "testing"

func TestZDiff(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD a 1 x 2 y 3 z")
	h.do("ZADD b 10 y")
	h.want("ZDIFF 2 a b", []string{"x", "z"})
	h.want("ZDIFF 3 a absent b WITHSCORES", []string{"x", "1", "z", "3"})
	h.want("ZDIFF 2 a a", []any{})
	h.want("ZDIFF 2 absent a", []any{})
	h.want("ZDIFFSTORE a 2 a b", 2)
	h.want("ZRANGE a 0 -1 WITHSCORES", []string{"x", "1", "z", "3"})
	h.want("ZDIFFSTORE a 2 b b", 0)
	h.want("GET a", nil)
	h.do("HELLO 3")
	h.want("ZDIFF 1 b WITHSCORES", []any{[]any{"y", 10.0}})
}
