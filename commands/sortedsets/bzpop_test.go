package sortedsets

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestBZPop(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c")
	h.Want("BZPOPMIN absent z 0", []string{"z", "a", "1"})
	h.Want("BZPOPMAX absent z 0", []string{"z", "c", "3"})
	h.Do("INCR s")
	h.Want("BZPOPMIN s z 0", commands.ErrWrongType)
	h.Want("BZPOPMIN z x", commands.Error("ERR timeout is not a float or out of range"))
	h.Do("DEL z")
	reply := h.HeldBack("BZPOPMAX z 1")
	h.Advance(time.Second)
	require.Equal(t, resptest.NilArray, reply())
	h.Do("MULTI")
	h.Do("BZPOPMIN z 0")
	h.Want("EXEC", []any{resptest.NilArray})
}

// TestBZPopWaits: each kind of client takes from its kind of value, and a RESP3 client gets numbers.
func TestBZPopWaits(t *testing.T) {
	h := servertest.New(t)
	first, second, third := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	second.Do("HELLO 3")
	pops := third.HeldBack("BLPOP z 0")
	one, two := first.HeldBack("BZPOPMIN z 0"), second.HeldBack("BZPOPMAX y z 0")
	h.Want("ZADD z 1 a 2 b 3 c", 3)
	require.Equal(t, first.Wire([]string{"z", "a", "1"}), one())
	require.Equal(t, second.Wire([]any{"z", "c", 3.0}), two())
	h.Want("ZUNIONSTORE sum 1 z", 1)
	require.EqualValues(t, 1, h.Server.Blocked())
	h.Do("DEL z")
	h.Do("RPUSH z x")
	require.Equal(t, third.Wire([]string{"z", "x"}), pops())

	one = first.HeldBack("BZPOPMIN sum2 0")
	h.Want("ZUNIONSTORE sum2 1 sum", 1)
	require.Equal(t, first.Wire([]string{"sum2", "b", "2"}), one())
}
