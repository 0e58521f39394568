package sets

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSAdd(t *testing.T) {
	h := servertest.New(t)
	h.Want("SADD s 5 -3 5 10", 3)
	h.Want("SADD s 5", 0)
	h.Want("SMEMBERS s", []string{"-3", "5", "10"})
	h.Want("TYPE s", resptest.Simple("set"))
	h.Want("OBJECT ENCODING s", "intset")
	h.Want("SADD s 10 100000 x", 2)
	h.Want("OBJECT ENCODING s", "hashtable")
	h.Want("SCARD s", 5)
}

func TestSRem(t *testing.T) {
	h := servertest.New(t)
	h.Want("SREM s a", 0)
	h.Do("SADD s -3 5 10 100000 x")
	h.Want("SREM s x y x", 1)
	h.Want("SREM s 5 05", 1)
	h.Want("SREM s -3 10 100000", 3)
	h.Want("EXISTS s", 0)
	h.Want("SMEMBERS s", []any{})
}

func TestSAddErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	for line, err := range map[string]commands.Error{
		"SADD n":   "ERR wrong number of arguments for 'sadd' command",
		"SREM n":   "ERR wrong number of arguments for 'srem' command",
		"SADD n a": commands.ErrWrongType,
		"SREM n a": commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
	h.Want("GET n", "1")
}

// TestForms requires that a set keeps its members when it grows out of a form.
func TestForms(t *testing.T) {
	h := servertest.New(t)
	for i := range 513 {
		h.Do("SADD", "ints", i)
		h.Do("SADD", "texts", fmt.Sprint("m", i))
		require.Equal(t, h.Wire(i+1), h.Do("SCARD ints"))
		require.Equal(t, h.Wire(i+1), h.Do("SCARD texts"))
	}
	h.Want("OBJECT ENCODING ints", "hashtable")
	h.Want("SISMEMBER ints 512", 1)
	h.Want("SISMEMBER texts m0", 1)
	h.Do("SADD few 1 2")
	h.Want("SADD few "+strings.Repeat("x", 1000), 1)
	h.Want("SISMEMBER few "+strings.Repeat("x", 1000), 1)
	h.Want("SREM few "+strings.Repeat("x", 1000), 1)
	h.Want("SMISMEMBER few 1 2 3", []any{1, 1, 0})
}
