package sets

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestSIsMember(t *testing.T) {
	h := servertest.New(t)
	h.Do("SADD ints 5 100000")
	h.Do("SADD s 5 100000 x")
	for _, key := range []string{"ints", "s"} {
		h.Want("SISMEMBER "+key+" 100000", 1)
		h.Want("SISMEMBER "+key+" 6", 0)
	}
	h.Want("SISMEMBER absent 5", 0)
	h.Want("SMISMEMBER s x y 05 5 x", []any{1, 0, 0, 1, 1})
	h.Want("SMISMEMBER ints x 05 5", []any{0, 0, 1})
	h.Want("SMISMEMBER absent a b", []any{0, 0})
}

func TestSCard(t *testing.T) {
	h := servertest.New(t)
	h.Want("SCARD s", 0)
	h.Do("SADD s 1 2 x")
	h.Want("SCARD s", 3)
	h.Do("SREM s 1")
	h.Want("SCARD s", 2)
}

func TestSIsMemberErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	for line, err := range map[string]commands.Error{
		"SISMEMBER n":    "ERR wrong number of arguments for 'sismember' command",
		"SMISMEMBER n":   "ERR wrong number of arguments for 'smismember' command",
		"SISMEMBER n a":  commands.ErrWrongType,
		"SMISMEMBER n a": commands.ErrWrongType,
		"SCARD n":        commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
}
