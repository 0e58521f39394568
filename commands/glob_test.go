package commands

import (
	"strings"
	"testing"

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
		require.Equal(t, c.want, glob([]byte(c.pattern), []byte(c.s)), "%q %q", c.pattern, c.s)
	}
}

// A pattern of many stars must not take exponential time.
func TestGlobTime(t *testing.T) {
	pattern := strings.Repeat("a*", 1000) + "b"
	require.False(t, glob([]byte(pattern), []byte(strings.Repeat("a", 5000))))
}
