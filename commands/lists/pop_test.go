package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestPop(t *testing.T) {
	h := servertest.New(t)
	h.Want("LPOP l", nil)
	h.Want("RPOP l 3", resptest.NilArray)
	h.Want("LPOP l 0", resptest.NilArray)
	h.Do("RPUSH l 1 2 3 4 5 6 7")
	h.Want("LPOP l", "1")
	h.Want("RPOP l", "7")
	h.Want("LPOP l 0", []any{})
	h.Want("LPOP l 2", []string{"2", "3"})
	h.Want("RPOP l 2", []string{"6", "5"})
	h.Want("RPOP l 100", []string{"4"})
	h.Want("EXISTS l", 0)
	h.Do("HELLO 3")
	h.Want("RPOP l", nil)
	h.Want("RPOP l 3", nil)
}

func TestPopErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("RPUSH l a")
	for line, err := range map[string]error{
		"LPOP n":                     commands.ErrWrongType,
		"RPOP n 1":                   commands.ErrWrongType,
		"LPOP n -1":                  commands.ErrNotPositive,
		"RPOP l x":                   commands.ErrNotPositive,
		"LPOP l 9223372036854775808": commands.ErrNotPositive,
		"LPOP l 1 2":                 commands.WrongArity("lpop"),
		"RPOP":                       commands.WrongArity("rpop"),
		"LPOP":                       commands.WrongArity("lpop"),
		"RPOP l 1 2":                 commands.WrongArity("rpop"),
	} {
		h.Want(line, err)
	}
	h.Want("LLEN l", 1)
}
