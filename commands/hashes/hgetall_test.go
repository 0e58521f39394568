package hashes

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestHGetAll(t *testing.T) {
	h := servertest.New(t)
	h.Do("HSET h a 3 b -5 c 007 d ''")
	h.Want("HGETALL h", []string{"a", "3", "b", "-5", "c", "007", "d", ""})
	h.Want("HKEYS h", []string{"a", "b", "c", "d"})
	h.Want("HVALS h", []string{"3", "-5", "007", ""})
	h.Want("HLEN h", 4)
	h.Want("HGETALL absent", []any{})
	h.Want("HKEYS absent", []any{})
	h.Want("HVALS absent", []any{})
	h.Want("HLEN absent", 0)
	h.Do("HELLO 3")
	h.Do("HSET one a 1")
	h.Want("HGETALL one", resptest.Map{{Key: "a", Value: "1"}})
	h.Want("HKEYS one", []string{"a"})
	h.Want("HVALS one", []string{"1"})
}

func TestHGetAllErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	for _, name := range []string{"HGETALL", "HKEYS", "HVALS", "HLEN"} {
		h.Want(name+" s", commands.ErrWrongType)
	}
}
