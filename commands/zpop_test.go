package commands

import "testing"

func TestZPop(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f")
	h.want("ZPOPMIN z", []string{"a", "1"})
	h.want("ZPOPMAX z", []string{"f", "6"})
	h.want("ZPOPMIN z 2", []string{"b", "2", "c", "3"})
	h.want("ZPOPMIN z 0", []any{})
	h.do("HELLO 3")
	h.want("ZPOPMAX z", []any{"e", 5.0})
	h.want("ZPOPMAX z 9223372036854775807", []any{[]any{"d", 4.0}})
	h.want("GET z", nil)
	h.want("ZPOPMAX z", []any{})
	h.want("ZPOPMIN z 2", []any{})
	h.do("INCR s")
	h.want("ZPOPMIN s x 2", errSyntax)
	h.want("ZPOPMIN s -1", errNotPositive)
	h.want("ZPOPMAX s x", errNotPositive)
	h.want("ZPOPMIN s 0", errWrongType)
	h.want("ZPOPMIN s", errWrongType)
}
