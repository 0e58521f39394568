package sortedsets

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestBZMPop(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c")
	h.Want("BZMPOP 0 2 absent z MIN COUNT 2", []any{"z", []any{[]any{"a", "1"}, []any{"b", "2"}}})
	for line, err := range map[string]commands.Error{
		"BZMPOP x 1 z MIN":         "ERR timeout is not a float or out of range",
		"BZMPOP 0 0 z MIN":         commands.ErrNumKeys,
		"BZMPOP 0 1 z MID":         commands.ErrSyntax,
		"BZMPOP x 1 z MIN COUNT 0": "ERR count should be greater than 0", // the time-out is checked last
	} {
		h.Want(line, err)
	}
	other := h.NewClient(t)
	reply := other.HeldBack("BZMPOP 0 2 x y MAX COUNT 2")
	h.Do("ZADD y 1 a 2 b 3 c")
	require.Equal(t, other.Wire([]any{"y", []any{[]any{"c", "3"}, []any{"b", "2"}}}), reply())
	h.Want("ZCARD y", 1)
	reply = other.HeldBack("BZMPOP 1 1 x MIN")
	h.Advance(time.Second)
	require.Equal(t, resptest.NilArray, reply())
}
