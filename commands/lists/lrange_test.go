package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestLIndex(t *testing.T) {
	h := servertest.New(t)
	h.Want("LINDEX l x", nil)
	h.Want("LLEN l", 0)
	h.Do("RPUSH l a 5 c")
	h.Want("LLEN l", 3)
	for index, want := range map[string]any{"0": "a", "1": "5", "-1": "c", "-3": "a", "3": nil, "-4": nil, "-9223372036854775808": nil, "9223372036854775807": nil} {
		h.Want("LINDEX l "+index, want)
	}
	h.Want("LINDEX l x", commands.ErrNotInteger)
	h.Do("INCR n")
	h.Want("LINDEX n x", commands.ErrWrongType)
	h.Want("LLEN n", commands.ErrWrongType)
}

func TestLRange(t *testing.T) {
	h := servertest.New(t)
	h.Want("LRANGE l 0 -1", []any{})
	h.Do("RPUSH l a b c d")
	for span, want := range map[string][]string{
		"0 -1": {"a", "b", "c", "d"}, "1 2": {"b", "c"}, "-2 -1": {"c", "d"}, "-100 0": {"a"}, "3 100": {"d"}, "2 1": {}, "4 5": {}, "0 -5": {},
		"-9223372036854775808 9223372036854775807": {"a", "b", "c", "d"},
	} {
		h.Want("LRANGE l "+span, want)
	}
	h.Do("INCR n")
	h.Want("LRANGE n x 1", commands.ErrNotInteger)
	h.Want("LRANGE n 0 x", commands.ErrNotInteger)
	h.Want("LRANGE n 0 1", commands.ErrWrongType)
}
