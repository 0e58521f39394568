package commands

import (
	"math/rand/v2"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestLCS(t *testing.T) {
	h := newHarness(t, "--proto-max-bulk-len", "1mb")
	h.want("MSET a ohmytext b mynewtext n 12345", ok)
	h.want("LCS a b", "mytext")
	h.want("LCS a b LEN", 6)
	matches := []any{[]any{[]any{4, 7}, []any{5, 8}}, []any{[]any{2, 3}, []any{0, 1}}}
	h.want("LCS a b IDX", []any{"matches", matches, "len", 6})
	h.want("LCS a b IDX MINMATCHLEN 4", []any{"matches", matches[:1], "len", 6})
	h.want("LCS a b IDX MINMATCHLEN -4 WITHMATCHLEN", []any{"matches",
		[]any{[]any{[]any{4, 7}, []any{5, 8}, 4}, []any{[]any{2, 3}, []any{0, 1}, 2}}, "len", 6})
	h.want("LCS a absent", "")
	h.want("LCS a absent LEN", 0)
	h.want("LCS n n", "12345")
	h.want("LCS a b LEN IDX", errLCSOptions)
	h.want("LCS a b MINMATCHLEN", errSyntax)
	h.want("LCS a b MINMATCHLEN x", errNotInteger)
	h.sortedSet("z", "m")
	h.want("LCS a z NONSENSE", errLCSType)
	h.want("SETRANGE a 511 x", 512)
	h.want("SETRANGE b 511 x", 512)
	h.want("LCS a b LEN", errLCSMemory)
	h.do("HELLO 3")
	h.want("LCS n n IDX", resptest.Map{
		{Key: "matches", Value: []any{[]any{[]any{int64(0), int64(4)}, []any{int64(0), int64(4)}}}}, {Key: "len", Value: int64(5)}})
}

func TestLCSLikeRedis(t *testing.T) {
	h := newHarness(t)
	redis := resptest.Dial(t, resptest.StartRedis(t))
	rng := rand.New(newSeed(t))
	word := func() string {
		s := make([]byte, rng.IntN(20))
		for i := range s {
			s[i] = "abc"[rng.IntN(3)]
		}
		return string(s)
	}
	for range 300 {
		a, b := word(), word()
		for _, args := range [][]any{
			{"MSET", "a", a, "b", b}, {"LCS", "a", "b"}, {"LCS", "a", "b", "LEN"},
			{"LCS", "a", "b", "IDX", "WITHMATCHLEN", "MINMATCHLEN", rng.IntN(4)},
		} {
			require.Equal(t, redis.Do(args...), h.do(args...), "a %q b %q", a, b)
		}
	}
}
