package hashes

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestHGet(t *testing.T) {
	h := servertest.New(t)
	h.Do("HSET h a 3 b -5 c 007 d ''")
	h.Want("HGET h a", "3")
	h.Want("HGET h d", "")
	h.Want("HGET h x", nil)
	h.Want("HGET absent a", nil)
	h.Want("HMGET h c x b c", []any{"007", nil, "-5", "007"})
	h.Want("HMGET absent a b", []any{nil, nil})
	h.Do("HELLO 3")
	h.Want("HGET h x", nil)
	h.Want("HMGET h x a", []any{nil, "3"})
}

func TestHExists(t *testing.T) {
	h := servertest.New(t)
	h.Do("HSET h a 1 d ''")
	h.Want("HEXISTS h a", 1)
	h.Want("HEXISTS h d", 1)
	h.Want("HEXISTS h x", 0)
	h.Want("HEXISTS absent a", 0)
}

func TestHStrLen(t *testing.T) {
	h := servertest.New(t)
	h.Do("HSET h b -5 c 007 d ''")
	h.Want("HSTRLEN h b", 2)
	h.Want("HSTRLEN h c", 3)
	h.Want("HSTRLEN h d", 0)
	h.Want("HSTRLEN h x", 0)
	h.Want("HSTRLEN absent a", 0)
}

func TestHGetErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	for line, err := range map[string]commands.Error{
		"HGET s":      "ERR wrong number of arguments for 'hget' command",
		"HMGET s":     "ERR wrong number of arguments for 'hmget' command",
		"HGET s a":    commands.ErrWrongType,
		"HMGET s a":   commands.ErrWrongType,
		"HEXISTS s a": commands.ErrWrongType,
		"HSTRLEN s a": commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
}
