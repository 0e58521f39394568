package lists

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestBLMPop(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH l a b c")
	h.Want("BLMPOP 0 2 absent l LEFT COUNT 2", []any{"l", []any{"a", "b"}})
	for line, err := range map[string]commands.Error{
		"BLMPOP x 1 l LEFT":         "ERR timeout is not a float or out of range",
		"BLMPOP 0 0 l LEFT":         commands.ErrNumKeys,
		"BLMPOP 0 1 l UP":           commands.ErrSyntax,
		"BLMPOP x 1 l LEFT COUNT 0": commands.ErrPopCount, // the time-out is checked last
	} {
		h.Want(line, err)
	}
	other := h.NewClient(t)
	reply := other.HeldBack("BLMPOP 0 2 x y RIGHT COUNT 2")
	h.Do("RPUSH y a b c")
	require.Equal(t, other.Wire([]any{"y", []any{"c", "b"}}), reply())
	h.Want("LRANGE y 0 -1", []string{"a"})
	reply = other.HeldBack("BLMPOP 1 1 x LEFT")
	h.Advance(time.Second)
	require.Equal(t, resptest.NilArray, reply())
}
