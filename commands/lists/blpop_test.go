package lists

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestBLPopTakesWhatIsThere(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH l a b c")
	h.Want("BLPOP absent l 0", []string{"l", "a"})
	h.Want("BRPOP absent l 0", []string{"l", "c"})
	h.Do("INCR s")
	h.Want("BLPOP s l 0", commands.ErrWrongType)
	h.Want("BLPOP l s 0", []string{"l", "b"})
	h.Want("EXISTS l", 0)
}

func TestBLPopTimeout(t *testing.T) {
	h := servertest.New(t)
	for text, err := range map[string]commands.Error{
		"x":                   "ERR timeout is not a float or out of range",
		"-1":                  "ERR timeout is negative",
		"-0.001":              "ERR timeout is negative",
		"0x7FFFFFFFFFFFFF":    "ERR timeout is out of range",
		"9223372036854775807": "ERR timeout is out of range",
	} {
		h.Want("BLPOP l "+text, err)
	}
	reply := h.HeldBack("BLPOP l 0.0011")
	require.EqualValues(t, 2*time.Millisecond, h.State.RetryAfter())
	h.Advance(2 * time.Millisecond)
	require.Equal(t, resptest.NilArray, reply())
	h.Do("HELLO 3")
	reply = h.HeldBack("BRPOP l 1")
	h.Advance(time.Second)
	require.Equal(t, resptest.Nil3, reply())
	require.EqualValues(t, 2, h.NewClient(t).State.ID())
}

// TestBLPopWaits: a push serves the clients in the order of their arrival, before its own reply.
func TestBLPopWaits(t *testing.T) {
	h := servertest.New(t)
	first, second, third := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	one := first.HeldBack("BLPOP other l l 0")
	two := second.HeldBack("BRPOP l 0")
	three := third.HeldBack("BLPOP l 0")
	h.Want("RPUSH l a b c d", 4)
	h.Want("LRANGE l 0 -1", []string{"c"})
	require.Equal(t, first.Wire([]string{"l", "a"}), one())
	require.Equal(t, first.Wire([]string{"l", "d"}), two())
	require.Equal(t, first.Wire([]string{"l", "b"}), three())
	require.Zero(t, h.Server.Blocked())
	h.Do("RPUSH other x")
	h.Want("LLEN other", 1)
}

// TestBLPopWithinATransaction: MULTI and scripts never wait, and their pushes serve at their end.
func TestBLPopWithinATransaction(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	h.Do("MULTI")
	h.Do("BLPOP l 0")
	h.Do("BLMOVE l m LEFT LEFT 0")
	h.Do("BLMPOP 0 1 l LEFT")
	h.Want("EXEC", []any{resptest.NilArray, nil, resptest.NilArray})

	reply := other.HeldBack("BLPOP l 0")
	h.Do("MULTI")
	h.Do("LPUSH l a")
	h.Do("LPUSH l b")
	h.Want("EXEC", []any{1, 2})
	require.Equal(t, other.Wire([]string{"l", "b"}), reply())

	h.Do("DEL l")
	reply = other.HeldBack("BLPOP l 0")
	h.Want("EVAL \"redis.call('rpush', KEYS[1], 'x', 'y') redis.call('lpop', KEYS[1]) return redis.call('llen', KEYS[1])\" 1 l", 1)
	require.Equal(t, other.Wire([]string{"l", "y"}), reply())

	reply = other.HeldBack("BLPOP l 0")
	h.Do("MULTI")
	h.Do("RPUSH l a")
	h.Do("DEL l")
	h.Do("EXEC")
	h.Do("MULTI")
	h.Do("RPUSH l a")
	h.Do("DEL l")
	h.Do("SET l text")
	h.Do("EXEC")
	require.Zero(t, other.Woken.Load()-2, "only the two clients above were served")
	h.Do("DEL l")
	h.Do("RPUSH l z")
	require.Equal(t, other.Wire([]string{"l", "z"}), reply())
}

// TestBLPopComesFromAnyCommand: each command that brings a list serves the clients that wait for its key.
func TestBLPopComesFromAnyCommand(t *testing.T) {
	h := servertest.New(t)
	h.Do("RPUSH source a")
	dump := h.Do("DUMP source").(string)
	for name, bring := range map[string]func(){
		"RENAME":   func() { h.Do("RENAME source l") },
		"COPY":     func() { h.Do("COPY source l") },
		"RESTORE":  func() { h.Do("RESTORE", "l", "0", dump) },
		"LMOVE":    func() { h.Do("LMOVE source l LEFT RIGHT") },
		"LPUSH":    func() { h.Do("LPUSH l a") },
		"SWAPDB":   func() { h.Do("SELECT 1"); h.Do("RPUSH l a"); h.Do("SWAPDB 0 1"); h.Do("SELECT 0") },
		"MOVE":     func() { h.Do("SELECT 1"); h.Do("RPUSH l a"); h.Do("MOVE l 0"); h.Do("SELECT 0") },
		"FLUSHALL": func() { h.Do("FLUSHALL"); h.Do("RPUSH l a") },
	} {
		h.Do("FLUSHALL")
		h.Do("RPUSH source a")
		other := h.NewClient(t)
		reply := other.HeldBack("BLPOP l 0")
		bring()
		require.Equal(t, other.Wire([]string{"l", "a"}), reply(), name)
		h.Want("EXISTS l", 0)
	}
}
