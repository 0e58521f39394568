package sets

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestSInterCard(t *testing.T) {
	h := servertest.New(t)
	h.Do("SADD a 1 2 3 4")
	h.Do("SADD b 2 3 4 x")
	h.Want("SINTERCARD 2 a b", 3)
	h.Want("SINTERCARD 1 a", 4)
	h.Want("SINTERCARD 2 a b LIMIT 2", 2)
	h.Want("SINTERCARD 2 a b LIMIT 9", 3)
	h.Want("SINTERCARD 2 a b LIMIT 0", 3)
	h.Want("SINTERCARD 1 a limit 2 LIMIT 1", 1)
	h.Want("SINTERCARD 2 a absent", 0)
	h.Want("SINTERCARD 1 absent", 0)
}

func TestSInterCardErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	for args, err := range map[string]commands.Error{
		"1":             "ERR wrong number of arguments for 'sintercard' command",
		"0 s":           "ERR numkeys should be greater than 0",
		"-1 s":          "ERR numkeys should be greater than 0",
		"x s":           "ERR numkeys should be greater than 0",
		"2 s":           "ERR Number of keys can't be greater than number of args",
		"1 n LIMIT -1":  "ERR LIMIT can't be negative",
		"1 n LIMIT x":   "ERR LIMIT can't be negative",
		"1 n LIMIT":     commands.ErrSyntax,
		"1 n FOO 1":     commands.ErrSyntax,
		"1 n s":         commands.ErrSyntax,
		"1 n":           commands.ErrWrongType,
		"2 absent n":    commands.ErrWrongType,
		"2 n s LIMIT 1": commands.ErrWrongType,
	} {
		h.Want("SINTERCARD "+args, err)
	}
}
