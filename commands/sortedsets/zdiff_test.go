package sortedsets

import (
	"cellserver/server/servertest"
	"testing"
)

func TestZDiff(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 1 x 2 y 3 z")
	h.Do("ZADD b 10 y")
	h.Want("ZDIFF 2 a b", []string{"x", "z"})
	h.Want("ZDIFF 3 a absent b WITHSCORES", []string{"x", "1", "z", "3"})
	h.Want("ZDIFF 2 a a", []any{})
	h.Want("ZDIFF 2 absent a", []any{})
	h.Want("ZDIFFSTORE a 2 a b", 2)
	h.Want("ZRANGE a 0 -1 WITHSCORES", []string{"x", "1", "z", "3"})
	h.Want("ZDIFFSTORE a 2 b b", 0)
	h.Want("GET a", nil)
	h.Do("HELLO 3")
	h.Want("ZDIFF 1 b WITHSCORES", []any{[]any{"y", 10.0}})
}
