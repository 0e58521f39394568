package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZRandMember(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZRANDMEMBER z", nil)
	h.Want("ZRANDMEMBER z 3", []any{})
	h.Want("ZRANDMEMBER z -9223372036854775807", []any{})
	h.Do("ZADD z 1 a 2 b 3 c")
	h.Want("ZRANDMEMBER z 0", []any{})
	h.Want("ZRANDMEMBER z 0 WITHSCORES", []any{})
	h.Want("ZRANDMEMBER z 3", []string{"a", "b", "c"})
	h.Want("ZRANDMEMBER z 4 WITHSCORES", []string{"a", "1", "b", "2", "c", "3"})
	require.Len(t, h.Do("ZRANDMEMBER z -10 WITHSCORES"), 20)
	h.Do("HELLO 3")
	h.Want("ZRANDMEMBER z 3 WITHSCORES", []any{[]any{"a", 1.0}, []any{"b", 2.0}, []any{"c", 3.0}})
	require.Len(t, h.Do("ZRANDMEMBER z -10 WITHSCORES"), 10)
	h.Want("ZRANDMEMBER absent", nil)
}

// TestZRandMemberIsFair: every member is about as frequent as any other. With a positive count no
// member repeats.
func TestZRandMemberIsFair(t *testing.T) {
	h := servertest.New(t)
	for i := range 10 {
		h.Do(fmt.Sprintf("ZADD z %d m%d", i, i))
	}
	seen := map[any]int{}
	const rounds = 1000
	for range rounds {
		seen[h.Do("ZRANDMEMBER z")]++
		for _, m := range h.Do("ZRANDMEMBER z -2").([]any) {
			seen[m]++
		}
		once := map[any]bool{}
		for _, m := range h.Do("ZRANDMEMBER z 7").([]any) {
			require.False(t, once[m])
			once[m] = true
			seen[m]++
		}
	}
	require.Len(t, seen, 10)
	for m, n := range seen {
		require.InDelta(t, rounds, n, rounds/8, m)
	}
}

func TestZRandMemberErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("ZADD z 1 a")
	for line, err := range map[string]commands.Error{
		"ZRANDMEMBER s x WITHSCORE":                     commands.ErrNotInteger,
		"ZRANDMEMBER s 1 WITHSCORE":                     commands.ErrSyntax,
		"ZRANDMEMBER s 1 WITHSCORES x":                  commands.ErrSyntax,
		"ZRANDMEMBER s -9223372036854775808":            "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
		"ZRANDMEMBER s -9223372036854775807 WITHSCORES": commands.ErrOutOfRange,
		"ZRANDMEMBER s 4611686018427387904 WITHSCORES":  commands.ErrOutOfRange,
		"ZRANDMEMBER s":                                 commands.ErrWrongType,
		"ZRANDMEMBER s 1":                               commands.ErrWrongType,
		"ZRANDMEMBER z -9223372036854775807":            commands.Error("ERR value is out of range, the reply would be too large"),
	} {
		h.Want(line, err)
	}
	h.Want("ZRANDMEMBER z", "a")
}
