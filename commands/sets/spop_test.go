package sets

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSPop(t *testing.T) {
	h := servertest.New(t)
	h.Want("SPOP s", nil)
	h.Want("SPOP s 3", []any{})
	h.Do("SADD s 3 4 5")
	h.Want("SPOP s 0", []any{})
	require.Contains(t, []any{"3", "4", "5"}, h.Do("SPOP s"))
	h.Want("SCARD s", 2)
	require.Len(t, h.Do("SPOP s 100"), 2)
	h.Want("EXISTS s", 0)
	h.Do("SADD s a")
	h.Want("SPOP s", "a")
	h.Want("EXISTS s", 0)
	h.Do("HELLO 3")
	h.Do("SADD s a")
	h.Want("SPOP s 1", resptest.Set{"a"})
	h.Want("SPOP s 1", resptest.Set{})
	h.Want("SPOP s", nil)
}

// TestSPopDrainsASet requires that no member comes twice.
func TestSPopDrainsASet(t *testing.T) {
	h := servertest.New(t)
	for i := range 1000 {
		h.Do("SADD", "s", i)
	}
	seen := map[any]bool{}
	for left := 1000; left > 0; left -= 50 {
		for _, m := range h.Do("SPOP s 50").([]any) {
			require.False(t, seen[m])
			seen[m] = true
		}
		h.Want("SCARD s", left-50)
	}
	require.Len(t, seen, 1000)
	h.Want("EXISTS s", 0)
}

func TestSPopErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	for line, err := range map[string]commands.Error{
		"SPOP n":                     commands.ErrWrongType,
		"SPOP n 0":                   commands.ErrWrongType,
		"SPOP n 1":                   commands.ErrWrongType,
		"SPOP n -1":                  commands.ErrNotPositive,
		"SPOP s x":                   commands.ErrNotPositive,
		"SPOP s 9223372036854775808": commands.ErrNotPositive,
		"SPOP n 1 2":                 commands.ErrSyntax,
	} {
		h.Want(line, err)
	}
	h.Want("SMEMBERS s", []string{"a"})
}
