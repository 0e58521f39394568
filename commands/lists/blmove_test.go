package lists

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestBLMove(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH l a b")
	h.Want("BLMOVE l m LEFT RIGHT 0", "a")
	h.Want("BRPOPLPUSH l m 0", "b")
	h.Want("LRANGE m 0 -1", []string{"b", "a"})
	h.Want("BLMOVE l m UP RIGHT 0", commands.ErrSyntax)
	h.Want("BLMOVE l m LEFT RIGHT x", commands.Error("ERR timeout is not a float or out of range"))
	reply := h.HeldBack("BLMOVE l m LEFT RIGHT 1")
	h.Advance(time.Second)
	require.Equal(t, resptest.NilArray, reply(), "as in Redis, the null of an array")
}

// TestBLMoveChain: an element goes through all clients that wait for it before the reply to the push.
func TestBLMoveChain(t *testing.T) {
	h := servertest.New(t)
	first, second, third := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	two := second.HeldBack("BRPOPLPUSH b c 0")
	one := first.HeldBack("BLMOVE a b LEFT RIGHT 0")
	three := third.HeldBack("BLPOP c 0")
	h.Want("RPUSH a x", 1)
	h.Want("EXISTS a b c", 0)
	require.Equal(t, first.Wire("x"), one())
	require.Equal(t, first.Wire("x"), two())
	require.Equal(t, first.Wire([]string{"c", "x"}), three())
}

// TestBLMoveCircle: two clients that move an element in a circle each get it once.
func TestBLMoveCircle(t *testing.T) {
	h := servertest.New(t)
	first, second := h.NewClient(t), h.NewClient(t)
	one := first.HeldBack("BRPOPLPUSH a b 0")
	two := second.HeldBack("BRPOPLPUSH b a 0")
	h.Do("RPUSH a x")
	require.Equal(t, first.Wire("x"), one())
	require.Equal(t, first.Wire("x"), two())
	h.Want("LRANGE a 0 -1", []string{"x"})
	reply := first.HeldBack("BRPOPLPUSH same same 0")
	h.Do("RPUSH same y")
	require.Equal(t, first.Wire("y"), reply())
	h.Want("LRANGE same 0 -1", []string{"y"})
}

// TestBLMoveToAnotherType: the client that waits gets the error, and the list keeps its elements.
func TestBLMoveToAnotherType(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	reply := other.HeldBack("BRPOPLPUSH a s 0")
	h.Do("INCR s")
	h.Do("RPUSH a x y")
	require.Equal(t, other.Wire(commands.ErrWrongType), reply())
	h.Want("LRANGE a 0 -1", []string{"x", "y"})
}
