package commands

import (
	"testing"

	"cellserver/resp/resptest"
)

func TestZMPop(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 1 a 2 b 3 c 4 d")
	h.want("ZMPOP 2 absent z MIN", []any{"z", []any{[]any{"a", "1"}}})
	h.want("ZMPOP 2 z absent MAX COUNT 2", []any{"z", []any{[]any{"d", "4"}, []any{"c", "3"}}})
	h.want("ZMPOP 1 absent MAX", resptest.NilArray)
	h.do("HELLO 3")
	h.want("ZMPOP 1 z MAX COUNT 9", []any{"z", []any{[]any{"b", 2.0}}})
	h.want("ZMPOP 1 z MAX", nil)
	h.want("GET z", nil)
}

func TestZMPopErrors(t *testing.T) {
	h := newHarness(t)
	h.do("INCR s")
	h.do("ZADD z 1 a")
	for line, err := range map[string]Error{
		"ZMPOP 0 s MIN":                   errNumKeys,
		"ZMPOP x s MIN":                   errNumKeys,
		"ZMPOP 2 s MIN":                   errSyntax,
		"ZMPOP 9223372036854775807 s MIN": errSyntax,
		"ZMPOP 1 s MID":                   errSyntax,
		"ZMPOP 1 s MIN COUNT":             errSyntax,
		"ZMPOP 1 s MIN NO 1":              errSyntax,
		"ZMPOP 1 s MIN COUNT 1 COUNT 1":   errSyntax,
		"ZMPOP 1 s MIN COUNT 0 x":         "ERR count should be greater than 0",
		"ZMPOP 1 s MIN COUNT x":           "ERR count should be greater than 0",
		"ZMPOP 2 s z MIN":                 errWrongType,
	} {
		h.want(line, err)
	}
	h.want("ZCARD z", 1)
}
