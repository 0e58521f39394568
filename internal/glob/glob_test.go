package glob

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cellserver/internal/randtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"*", "", false}, {"a", "", false}, {"", "a", false}, {"*", "a", true}, {"**", "ab", true},
		{"a*", "a", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"*b", "abc", false}, {"a*c*e", "abcde", true},
		{"*ab*ab", "abxab", true}, {"*ab*ab", "ab", false}, {"h?llo", "hello", true}, {"h?llo", "hllo", false},
		{"h[ae]llo", "hallo", true}, {"h[^e]llo", "hello", false}, {"h[a-b]llo", "hbllo", true}, {"h[b-a]llo", "hallo", true},
		{`h[\]]llo`, "h]llo", true}, {`\*`, "*", true}, {`\*`, "a", false}, {`a\`, `a\`, true}, {"[", "[", false},
		{"[a", "a", true}, {"[^", "x", true}, {"[]x", "x", false}, {"[a-]x", "-x", false}, {"a]", "a]", true}, {"A", "a", false},
	} {
		require.Equal(t, c.want, Match([]byte(c.pattern), []byte(c.s)), "%q %q", c.pattern, c.s)
	}
}

// A pattern of many stars takes no exponential time. A pattern of too many stars matches nothing.
func TestGlobStars(t *testing.T) {
	long := []byte(strings.Repeat("a", 5000))
	require.False(t, Match([]byte(strings.Repeat("a*", 1000)+"b"), long))
	require.True(t, Match([]byte(strings.Repeat("*a", 1000)+"*"), long))
	require.False(t, Match([]byte(strings.Repeat("*a", 1001)), long))
	require.True(t, Match([]byte(strings.Repeat("*", 5000)+"a"), long))
}

// randomWords returns a function that makes words of some letters, each with fewer than n bytes.
func randomWords(rng *rand.Rand) func(letters string, n int) []byte {
	return func(letters string, n int) []byte {
		b := make([]byte, rng.IntN(n))
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return b
	}
}

// Redis itself is the model, on patterns of every shape.
func TestGlobLikeRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	rng := rand.New(randtest.Source(t))
	word := randomWords(rng)
	for range 3000 {
		redis.Do("FLUSHALL")
		key := word("ab-]^[\\*\xff\x80", 6)
		redis.Do("SET", key, "1")
		for range 10 {
			pattern := word("aab-][^\\**?\xff\x80", 10)
			if string(pattern) == "*" {
				continue // KEYS does not ask
			}
			want := len(redis.Do("KEYS", pattern).([]any)) == 1
			require.Equal(t, want, Match(pattern, key), "%q %q", pattern, key)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"a*b?c", "aXbYc"}, {"[^a-c\\]]*", "d]"}, {"**[z-a", "m"}, {"\\", "\\"}, {"[\x80-\xff]", "\x90"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if strings.Count(pattern, "*") <= maxStars {
			want := naiveGlob(pattern, s)
			require.Equal(t, want, Match([]byte(pattern), []byte(s)), "%q %q", pattern, s)
			if s != "" {
				require.Equal(t, want, parseLong([]byte(pattern)).match([]byte(s)), "%q %q", pattern, s)
			}
		}
	})
}

// naiveGlob spells a pattern out as one set of bytes after another, nil for a *, and
// follows every way through them at once.
func naiveGlob(pattern, s string) bool {
	if s == "" {
		return pattern == ""
	}
	elements := globElements(pattern)
	at := map[int]bool{0: true}
	spread := func() {
		for i, e := range elements {
			if e == nil && at[i] {
				at[i+1] = true
			}
		}
	}
	for _, b := range []byte(s) {
		spread()
		next := map[int]bool{}
		for i := range at {
			switch {
			case i == len(elements):
			case elements[i] == nil:
				next[i] = true
			case elements[i][b]:
				next[i+1] = true
			}
		}
		at = next
	}
	spread()
	return at[len(elements)]
}

func globElements(p string) (elements []*[256]bool) {
	for len(p) > 0 {
		c := p[0]
		p = p[1:]
		set := &[256]bool{}
		switch {
		case c == '*':
			set = nil
		case c == '?':
			for i := range set {
				set[i] = true
			}
		case c == '[':
			p = globSet(p, set)
		case c == '\\' && p != "":
			set[p[0]] = true
			p = p[1:]
		default:
			set[c] = true
		}
		elements = append(elements, set)
	}
	return elements
}

// globSet fills the set of a class and returns what follows it.
func globSet(p string, set *[256]bool) string {
	p, not := strings.CutPrefix(p, "^")
	for p != "" && p[0] != ']' {
		switch {
		case p[0] == '\\' && len(p) > 1:
			set[p[1]] = true
			p = p[2:]
		case len(p) >= 3 && p[1] == '-':
			from, to := int(int8(p[0])), int(int8(p[2]))
			for c := min(from, to); c <= max(from, to); c++ {
				set[byte(c)] = true
			}
			p = p[3:]
		default:
			set[p[0]] = true
			p = p[1:]
		}
	}
	for i := range set {
		set[i] = set[i] != not
	}
	return strings.TrimPrefix(p, "]")
}

// TestLongPatterns: long patterns and texts match as short ones do, and in a small part of the time.
func TestLongPatterns(t *testing.T) {
	rng := rand.New(randtest.Source(t))
	word := randomWords(rng)
	matched := 0
	for range 100_000 {
		p, s := word("aab-][^\\**?\xff\x80", 12), append(word("ab-]^[\\*\xff\x80", 12), 'a')
		if rng.IntN(20) == 0 {
			p = append(bytes.Repeat([]byte("a"), 60+rng.IntN(10)), p...)
			s = append(bytes.Repeat([]byte("a"), 60+rng.IntN(10)), s...)
		}
		want, _ := matchShort(p, s, math.MaxInt)
		require.Equal(t, want, parseLong(p).match(s), "%q %q", p, s)
		if want {
			matched++
		}
	}
	require.Greater(t, matched, 1000)
	for _, stars := range []int{999, 1000, 1001, 1002} {
		for _, unit := range []string{"*a", "a*"} {
			for _, tail := range []string{"", "*", "b", "*b", "a"} {
				p, s := []byte(strings.Repeat(unit, stars)+tail), []byte(strings.Repeat("a", 2000))
				want, _ := matchShort(p, s, math.MaxInt)
				require.Equal(t, want, Match(p, s), "%d %s %s", stars, unit, tail)
				require.Equal(t, want, parseLong(p).match(s), "%d %s %s", stars, unit, tail)
			}
		}
	}
	begun := time.Now()
	require.False(t, Match([]byte("*"+strings.Repeat("a?", 15_000)+"b"), bytes.Repeat([]byte("a"), 60_000)))
	require.Less(t, time.Since(begun), 40*time.Second, "it was a minute, and many under the race detector")
}

// TestLongPatternsFollowFewStates: a byte costs no states that it can not reach. A pattern that is longer
// than the text costs nothing.
func TestLongPatternsFollowFewStates(t *testing.T) {
	l := parseLong([]byte("*" + strings.Repeat("?", 639) + "b"))
	require.False(t, l.match(bytes.Repeat([]byte("a"), 639)))
	require.Nil(t, l.accepts['a'])
	l.accepts['x'] = l.accepting('x')[:1] // asking for more states would panic
	require.True(t, l.match([]byte("x"+strings.Repeat("a", 999)+"b")))
}

// TestLongPatternsOfOtherTexts: a long pattern costs no memory for a text that differs at its begin.
func TestLongPatternsOfOtherTexts(t *testing.T) {
	pattern, text := bytes.Repeat([]byte("user:[a-z]?*"), 1000), bytes.Repeat([]byte("job:7"), 20)
	require.Zero(t, testing.AllocsPerRun(100, func() { require.False(t, Match(pattern, text)) }))
}
