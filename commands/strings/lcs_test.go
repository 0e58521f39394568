package strings

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestLCS(t *testing.T) {
	h := servertest.New(t, "--proto-max-bulk-len", "1mb")
	h.Want("MSET a ohmytext b mynewtext n 12345", ok)
	h.Want("LCS a b", "mytext")
	h.Want("LCS a b LEN", 6)
	matches := []any{[]any{[]any{4, 7}, []any{5, 8}}, []any{[]any{2, 3}, []any{0, 1}}}
	h.Want("LCS a b IDX", []any{"matches", matches, "len", 6})
	h.Want("LCS a b IDX MINMATCHLEN 4", []any{"matches", matches[:1], "len", 6})
	h.Want("LCS a b IDX MINMATCHLEN -4 WITHMATCHLEN", []any{"matches",
		[]any{[]any{[]any{4, 7}, []any{5, 8}, 4}, []any{[]any{2, 3}, []any{0, 1}, 2}}, "len", 6})
	h.Want("LCS a absent", "")
	h.Want("LCS a absent LEN", 0)
	h.Want("LCS n n", "12345")
	h.Want("LCS a b LEN IDX", errLCSOptions)
	h.Want("LCS a b MINMATCHLEN", commands.ErrSyntax)
	h.Want("LCS a b MINMATCHLEN x", commands.ErrNotInteger)
	h.SortedSet("z", "m")
	h.Want("LCS a z NONSENSE", errLCSType)
	h.Want("SETRANGE a 511 x", 512)
	h.Want("SETRANGE b 511 x", 512)
	h.Want("LCS a b LEN", errLCSMemory)
	h.Do("HELLO 3")
	h.Want("LCS n n IDX", resptest.Map{
		{Key: "matches", Value: []any{[]any{[]any{int64(0), int64(4)}, []any{int64(0), int64(4)}}}}, {Key: "len", Value: int64(5)}})
}

// TestLCSMemory: many clients may send LCS at once, so a call takes a bit for each pair of bytes, and little more.
func TestLCSMemory(t *testing.T) {
	a, b := bytes.Repeat([]byte("ab"), 2000), bytes.Repeat([]byte("ba"), 2000)
	long := bytes.Repeat(a, 1000)
	for _, c := range []struct {
		a, b []byte
		want uint32
	}{{a, b, 3999}, {[]byte("b"), long, 1}, {long, []byte("b"), 1}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.Equal(t, c.want, newLCSTable(c.a, c.b).length)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(c.a)*len(c.b)/4))
	}
}

func TestLCSLikeRedis(t *testing.T) {
	h := servertest.New(t)
	redis := resptest.Dial(t, resptest.StartRedis(t))
	rng := rand.New(randtest.Source(t))
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
			require.Equal(t, redis.Do(args...), h.Do(args...), "a %q b %q", a, b)
		}
	}
}
