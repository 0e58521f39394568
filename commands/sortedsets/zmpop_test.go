package sortedsets

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestZMPop(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c 4 d")
	h.Want("ZMPOP 2 absent z MIN", []any{"z", []any{[]any{"a", "1"}}})
	h.Want("ZMPOP 2 z absent MAX COUNT 2", []any{"z", []any{[]any{"d", "4"}, []any{"c", "3"}}})
	h.Want("ZMPOP 1 absent MAX", resptest.NilArray)
	h.Do("HELLO 3")
	h.Want("ZMPOP 1 z MAX COUNT 9", []any{"z", []any{[]any{"b", 2.0}}})
	h.Want("ZMPOP 1 z MAX", nil)
	h.Want("GET z", nil)
}

func TestZMPopErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("ZADD z 1 a")
	for line, err := range map[string]commands.Error{
		"ZMPOP 0 s MIN":                   commands.ErrNumKeys,
		"ZMPOP x s MIN":                   commands.ErrNumKeys,
		"ZMPOP 2 s MIN":                   commands.ErrSyntax,
		"ZMPOP 9223372036854775807 s MIN": commands.ErrSyntax,
		"ZMPOP 1 s MID":                   commands.ErrSyntax,
		"ZMPOP 1 s MIN COUNT":             commands.ErrSyntax,
		"ZMPOP 1 s MIN NO 1":              commands.ErrSyntax,
		"ZMPOP 1 s MIN COUNT 1 COUNT 1":   commands.ErrSyntax,
		"ZMPOP 1 s MIN COUNT 0 x":         "ERR count should be greater than 0",
		"ZMPOP 1 s MIN COUNT x":           "ERR count should be greater than 0",
		"ZMPOP 2 s z MIN":                 commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
	h.Want("ZCARD z", 1)
}
