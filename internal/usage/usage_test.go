package usage_test

import (
	"strings"
	"testing"

	"cellserver/internal/usage"

	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, line string) []usage.Argument {
	args, err := usage.Parse("get", line, 1)
	require.NoError(t, err, line)
	return args
}

func token(name, word string) usage.Argument {
	return usage.Argument{Name: name, Type: usage.PureToken, Token: word}
}

func TestParse(t *testing.T) {
	key := usage.Argument{Name: "key", Type: usage.Key}
	seconds := usage.Argument{Name: "seconds", Type: "integer", Token: "EX"}
	member := usage.Argument{Name: "member", Type: "string"}
	score := usage.Argument{Name: "score", Type: "double"}
	for _, c := range []struct {
		line string
		want []usage.Argument
	}{
		{"", nil},
		{"key member", []usage.Argument{key, member}},
		{"[REV]", []usage.Argument{{Name: "rev", Type: usage.PureToken, Token: "REV", Optional: true}}},
		{"[EX seconds]", []usage.Argument{{Name: "seconds", Type: "integer", Token: "EX", Optional: true}}},
		{"[NX | XX]", []usage.Argument{{Name: "condition", Type: usage.OneOf, Optional: true, Arguments: []usage.Argument{token("nx", "NX"), token("xx", "XX")}}}},
		{"<EX seconds | KEEP>", []usage.Argument{{Name: "ex_keep", Type: usage.OneOf, Arguments: []usage.Argument{seconds, token("keep", "KEEP")}}}},
		{"[SORT <UP | DOWN>]", []usage.Argument{{Name: "sort", Type: usage.OneOf, Token: "SORT", Optional: true,
			Arguments: []usage.Argument{token("up", "UP"), token("down", "DOWN")}}}},
		{"member [member ...]", []usage.Argument{{Name: "member", Type: "string", Multiple: true}}},
		{"[member [member ...]]", []usage.Argument{{Name: "member", Type: "string", Multiple: true, Optional: true}}},
		{"score member [score member ...]", []usage.Argument{{Name: "score_member", Type: usage.Block, Multiple: true, Arguments: []usage.Argument{score, member}}}},
		{"[ON member [member ...]]", []usage.Argument{{Name: "member", Type: "string", Token: "ON", Multiple: true, Optional: true}}},
		{"[ON member [ON member ...]]", []usage.Argument{{Name: "member", Type: "string", Token: "ON", Multiple: true, MultipleToken: true, Optional: true}}},
		{"[ON score member]", []usage.Argument{{Name: "score_member", Type: usage.Block, Token: "ON", Optional: true, Arguments: []usage.Argument{score, member}}}},
	} {
		got := parse(t, c.line)
		require.Equal(t, c.want, got, c.line)
	}
}

// TestKeySpecs requires that each key has its key specification, and that the keys of a repetition
// do not count again.
func TestKeySpecs(t *testing.T) {
	specs := func(line string, n int) (at []int) {
		args, err := usage.Parse("x", line, n)
		require.NoError(t, err)
		for _, a := range args {
			if a.Type == usage.Block {
				a = a.Arguments[0]
			}
			if a.Type == usage.Key {
				at = append(at, a.KeySpec)
			}
		}
		return at
	}
	require.Equal(t, []int{0, 1}, specs("source destination", 2))
	require.Equal(t, []int{0, 0}, specs("key1 key2", 1))
	require.Equal(t, []int{0, 1}, specs("key value [key value ...] newkey", 2))
	require.Empty(t, specs("key", 0))
}

func TestParseRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"key [NX":                    `usage of get: "]" is missing before ""`,
		"key [NX>":                   `usage of get: "]" is missing before ">"`,
		"key ]":                      `usage of get: unexpected "]"`,
		"ON | OFF":                   `usage of get: unexpected "|"`,
		"key []":                     `usage of get: nothing before "]"`,
		"key [member ...]":           `usage of get: a repetition of "member" repeats nothing before it`,
		"[score member ...]":         `usage of get: a repetition of "score_member" repeats nothing before it`,
		"key member [value key ...]": `usage of get: a repetition of "value_key" repeats nothing before it`,
	} {
		_, err := usage.Parse("get", line, 1)
		require.EqualError(t, err, want, line)
	}
}

// FuzzParse requires that no line breaks the parser, whose work is bounded by the length of the line.
func FuzzParse(f *testing.F) {
	f.Add("key [NX | XX] [EX seconds | PERSIST] score member [score member ...]")
	f.Add("<<<<[[[[| ...")
	f.Fuzz(func(t *testing.T, line string) {
		args, err := usage.Parse("x", line, 1)
		if err == nil {
			require.LessOrEqual(t, count(args), 2*len(strings.Fields(line))+2*len(line))
		}
	})
}

func count(args []usage.Argument) int {
	n := len(args)
	for _, a := range args {
		n += count(a.Arguments)
	}
	return n
}
