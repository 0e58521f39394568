package commands

import "testing"

func TestZScore(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 0.1 a -inf b -0 c 1e17 d")
	for member, score := range map[string]string{"a": "0.10000000000000001", "b": "-inf", "c": "0", "d": "1e+17"} {
		h.want("ZSCORE z "+member, score)
	}
	h.want("ZMSCORE z a x c", []any{"0.10000000000000001", nil, "0"})
	h.want("ZMSCORE absent a b", []any{nil, nil})
	h.want("ZSCORE absent a", nil)
	h.do("INCR s")
	h.want("ZSCORE s a", errWrongType)
	h.want("ZMSCORE s a", errWrongType)
	h.do("HELLO 3")
	h.want("ZMSCORE z a x", []any{0.1, nil})
	h.want("ZSCORE z x", nil)
}
