package commands

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZRandMember(t *testing.T) {
	h := newHarness(t)
	h.want("ZRANDMEMBER z", nil)
	h.want("ZRANDMEMBER z 3", []any{})
	h.want("ZRANDMEMBER z -9223372036854775807", []any{})
	h.do("ZADD z 1 a 2 b 3 c")
	h.want("ZRANDMEMBER z 0", []any{})
	h.want("ZRANDMEMBER z 0 WITHSCORES", []any{})
	h.want("ZRANDMEMBER z 3", []string{"a", "b", "c"})
	h.want("ZRANDMEMBER z 4 WITHSCORES", []string{"a", "1", "b", "2", "c", "3"})
	require.Len(t, h.do("ZRANDMEMBER z -10 WITHSCORES"), 20)
	h.do("HELLO 3")
	h.want("ZRANDMEMBER z 3 WITHSCORES", []any{[]any{"a", 1.0}, []any{"b", 2.0}, []any{"c", 3.0}})
	require.Len(t, h.do("ZRANDMEMBER z -10 WITHSCORES"), 10)
	h.want("ZRANDMEMBER absent", nil)
}

// Every member comes about as often as any other, and none twice where none may.
func TestZRandMemberIsFair(t *testing.T) {
	h := newHarness(t)
	for i := range 10 {
		h.do(fmt.Sprintf("ZADD z %d m%d", i, i))
	}
	seen := map[any]int{}
	const rounds = 1000
	for range rounds {
		seen[h.do("ZRANDMEMBER z")]++
		for _, m := range h.do("ZRANDMEMBER z -2").([]any) {
			seen[m]++
		}
		once := map[any]bool{}
		for _, m := range h.do("ZRANDMEMBER z 7").([]any) {
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
	h := newHarness(t)
	h.do("INCR s")
	h.do("ZADD z 1 a")
	for line, err := range map[string]Error{
		"ZRANDMEMBER s x WITHSCORE":                     errNotInteger,
		"ZRANDMEMBER s 1 WITHSCORE":                     errSyntax,
		"ZRANDMEMBER s 1 WITHSCORES x":                  errSyntax,
		"ZRANDMEMBER s -9223372036854775808":            "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
		"ZRANDMEMBER s -9223372036854775807 WITHSCORES": errOutOfRange,
		"ZRANDMEMBER s 4611686018427387904 WITHSCORES":  errOutOfRange,
		"ZRANDMEMBER s":                                 errWrongType,
		"ZRANDMEMBER s 1":                               errWrongType,
		"ZRANDMEMBER z -9223372036854775807":            errRandomReply,
	} {
		h.want(line, err)
	}
	h.want("ZRANDMEMBER z", "a")
}
