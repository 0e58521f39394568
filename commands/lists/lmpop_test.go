package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestLMPop(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH l a b c d")
	h.Want("LMPOP 2 absent l LEFT", []any{"l", []any{"a"}})
	h.Want("LMPOP 2 l absent RIGHT COUNT 2", []any{"l", []any{"d", "c"}})
	h.Want("LMPOP 1 absent LEFT", resptest.NilArray)
	h.Do("HELLO 3")
	h.Want("LMPOP 1 l RIGHT COUNT 9", []any{"l", []any{"b"}})
	h.Want("LMPOP 1 l RIGHT", nil)
	h.Want("EXISTS l", 0)
}

func TestLMPopErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("RPUSH l a")
	for line, err := range map[string]commands.Error{
		"LMPOP 0 s LEFT":                   commands.ErrNumKeys,
		"LMPOP x s LEFT":                   commands.ErrNumKeys,
		"LMPOP 2 s LEFT":                   commands.ErrSyntax,
		"LMPOP 9223372036854775807 s LEFT": commands.ErrSyntax,
		"LMPOP 1 s MID":                    commands.ErrSyntax,
		"LMPOP 1 s LEFT COUNT":             commands.ErrSyntax,
		"LMPOP 1 s LEFT NO 1":              commands.ErrSyntax,
		"LMPOP 1 s LEFT COUNT 1 COUNT 1":   commands.ErrSyntax,
		"LMPOP 1 s LEFT COUNT 0 x":         commands.ErrPopCount,
		"LMPOP 1 s LEFT COUNT x":           commands.ErrPopCount,
		"LMPOP 2 s l LEFT":                 commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
	h.Want("LLEN l", 1)
}
