package ruleset

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzWords: the words of any rule are a rule with the same text.
func FuzzWords(f *testing.F) {
	for _, text := range []string{
		"100/minute AND 5 per second burst 20 SHADOW", "50M tokens a month per org and 100 per user per minute",
		"SCOPE day CL.LOG 5 60", "SCOPE org CL.WINDOW 5 60 AND SCOPE org CL.SLIDING 5 60 shadow", "CL.SLIDING 1 1",
		"BLOCK AND 5/minute", "SCOPE minuets 5/minute", "5/minute SHADOW AND 5/minute", "SCOPE org", "SCOPE AND AND",
		"SCOPE shadow CL.LOG 100 60", "SCOPE Shadow CL.LOG 5 60 SHADOW", "SCOPE shadow 5/minute AND 5/s per org",
		"5 a day in Europe/Berlin AND cl.window 5 86400 align",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parse := func(text string) (*Rule, error) { return Parse("r", [][]byte{[]byte(text)}) }
		one, err := parse(text)
		if err != nil {
			require.Less(t, len(err.Error()), 4096)
			return
		}
		again, err := parse(one.text)
		require.NoError(t, err)
		require.Equal(t, one.text, again.text, "commands stay as they are")
		words := Words(one.text)
		if words == "" {
			return
		}
		again, err = parse(words)
		require.NoError(t, err, words)
		require.Equal(t, fold(one.text), fold(again.text), words)
	})
}

func fold(text string) string { return string(bytes.ToLower([]byte(text))) }

// TestLongWords: a rule in words has the bound of a rule, before and after it is translated.
func TestLongWords(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("5/minute ", 8000), strings.Repeat("5", 1<<16), strings.Repeat("5 and ", 10000),
		"1/s" + strings.Repeat(" and 1/s", 127), "5/minute per " + strings.Repeat("a", 1010),
	} {
		_, err := Parse("r", [][]byte{[]byte(text)})
		require.Error(t, err)
	}
}
