package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZPop(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f")
	h.Want("ZPOPMIN z", []string{"a", "1"})
	h.Want("ZPOPMAX z", []string{"f", "6"})
	h.Want("ZPOPMIN z 2", []string{"b", "2", "c", "3"})
	h.Want("ZPOPMIN z 0", []any{})
	h.Do("HELLO 3")
	h.Want("ZPOPMAX z", []any{"e", 5.0})
	h.Want("ZPOPMAX z 9223372036854775807", []any{[]any{"d", 4.0}})
	h.Want("GET z", nil)
	h.Want("ZPOPMAX z", []any{})
	h.Want("ZPOPMIN z 2", []any{})
	h.Do("INCR s")
	h.Want("ZPOPMIN s x 2", commands.ErrSyntax)
	h.Want("ZPOPMIN s -1", commands.ErrNotPositive)
	h.Want("ZPOPMAX s x", commands.ErrNotPositive)
	h.Want("ZPOPMIN s 0", commands.ErrWrongType)
	h.Want("ZPOPMIN s", commands.ErrWrongType)
}
