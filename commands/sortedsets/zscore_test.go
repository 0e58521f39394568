package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZScore(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 0.1 a -inf b -0 c 1e17 d")
	for member, score := range map[string]string{"a": "0.10000000000000001", "b": "-inf", "c": "0", "d": "1e+17"} {
		h.Want("ZSCORE z "+member, score)
	}
	h.Want("ZMSCORE z a x c", []any{"0.10000000000000001", nil, "0"})
	h.Want("ZMSCORE absent a b", []any{nil, nil})
	h.Want("ZSCORE absent a", nil)
	h.Do("INCR s")
	h.Want("ZSCORE s a", commands.ErrWrongType)
	h.Want("ZMSCORE s a", commands.ErrWrongType)
	h.Do("HELLO 3")
	h.Want("ZMSCORE z a x", []any{0.1, nil})
	h.Want("ZSCORE z x", nil)
}
