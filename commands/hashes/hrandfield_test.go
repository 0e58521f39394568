package hashes

import (
	"fmt"
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestHRandField(t *testing.T) {
	h := servertest.New(t)
	h.Want("HRANDFIELD h", nil)
	h.Want("HRANDFIELD h 5", []any{})
	h.Want("HRANDFIELD h -9223372036854775807", []any{})
	h.Do("HSET h a 1 b 2")
	h.Want("HRANDFIELD h 2", []string{"a", "b"})
	h.Want("HRANDFIELD h 5 WITHVALUES", []string{"a", "1", "b", "2"})
	h.Want("HRANDFIELD h 0", []any{})
	h.Want("HRANDFIELD h 0 WITHVALUES", []any{})
	require.Len(t, h.Do("HRANDFIELD h -5"), 5)
	require.Len(t, h.Do("HRANDFIELD h -5 WITHVALUES"), 10)
	require.Len(t, h.Do("HRANDFIELD h 1"), 1)
	require.Contains(t, []any{"a", "b"}, h.Do("HRANDFIELD h"))
	h.Do("HELLO 3")
	h.Want("HRANDFIELD h 2 WITHVALUES", []any{[]any{"a", "1"}, []any{"b", "2"}})
	require.Len(t, h.Do("HRANDFIELD h -5 WITHVALUES"), 5)
	h.Want("HRANDFIELD absent", nil)
}

// TestHRandFieldIsFair: every field is about as frequent as any other. With a positive count no field repeats.
func TestHRandFieldIsFair(t *testing.T) {
	h := servertest.New(t)
	for i := range 10 {
		h.Do(fmt.Sprintf("HSET h f%d %d", i, i))
	}
	seen := map[any]int{}
	const rounds = 1000
	for range rounds {
		seen[h.Do("HRANDFIELD h")]++
		for _, field := range h.Do("HRANDFIELD h -2").([]any) {
			seen[field]++
		}
		once := map[any]bool{}
		for _, field := range h.Do("HRANDFIELD h 7").([]any) {
			require.False(t, once[field])
			once[field] = true
			seen[field]++
		}
	}
	require.Len(t, seen, 10)
	for field, n := range seen {
		require.InDelta(t, rounds, n, rounds/8, field)
	}
}

func TestHRandFieldErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("HSET h a 1")
	for line, err := range map[string]commands.Error{
		"HRANDFIELD h x":                               commands.ErrNotInteger,
		"HRANDFIELD s x WITHVALUE":                     commands.ErrNotInteger,
		"HRANDFIELD s 1 WITHVALUE":                     commands.ErrSyntax,
		"HRANDFIELD s 1 WITHVALUES x":                  commands.ErrSyntax,
		"HRANDFIELD s -9223372036854775808":            "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
		"HRANDFIELD s -9223372036854775807 WITHVALUES": commands.ErrOutOfRange,
		"HRANDFIELD s 4611686018427387904 WITHVALUES":  commands.ErrOutOfRange,
		"HRANDFIELD s":                                 commands.ErrWrongType,
		"HRANDFIELD s 1":                               commands.ErrWrongType,
		"HRANDFIELD h -9000000000":                     "ERR value is out of range, the reply would be too large",
	} {
		h.Want(line, err)
	}
	h.Want("HRANDFIELD h", "a")
}
