package quote

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                        {},
		" \t ":                    {},
		"a  b\tc":                 {"a", "b", "c"},
		`a"b c" d`:                {"ab c", "d"},
		`"" ''`:                   {"", ""},
		`"\n\r\t\b\a\q\"\\"`:      {"\n\r\t\b\aq\"\\"},
		`"\x41\xfF\x4\xzz"`:       {"A\xffx4xzz"},
		`'\n\'\"'`:                {`\n'\"`},
		`a\nb`:                    {`a\nb`},
		"x\vy \v z":               {"x\vy", "z"},
		"\"a\"\vb":                {"a", "b"},
		`'a b' "c 'd' e" f'g "h'`: {"a b", "c 'd' e", `fg "h`},
	} {
		args, err := Split(line)
		require.NoError(t, err, "%q", line)
		require.Equal(t, want, args, "%q", line)
	}
	for _, line := range []string{`"`, `'`, `a "b`, `"a\"`, `'a\'`, `"a"b`, `'a'b`, `"a""b"`, `"a\`} {
		_, err := Split(line)
		require.ErrorIs(t, err, ErrUnbalanced, "%q", line)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a", "a b", `"\'#`, "\x00\xff\n", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		args, err := Split(Quote(s))
		require.NoError(t, err)
		require.Equal(t, []string{s}, args)
	})
}

func TestWord(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "1m": "'1m'", "a b": "'a b'", "Zürich": "'Zürich'", "a\r\n\x00\xff": "'a????'",
		strings.Repeat("x", 40): "'" + strings.Repeat("x", 40) + "'", strings.Repeat("x", 41): "'" + strings.Repeat("x", 40) + "…'",
		strings.Repeat("x", 39) + "ü": "'" + strings.Repeat("x", 39) + "…'", "a\u202eb": "'a?b'",
	} {
		require.Equal(t, want, Word(word), "%q", word)
		require.Equal(t, want, Word([]byte(word)), "%q", word)
	}
}
