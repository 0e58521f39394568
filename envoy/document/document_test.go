package document

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keys is a map with many keys.
func keys(n int) string {
	b := &strings.Builder{}
	for i := range n {
		fmt.Fprintf(b, "k%d: 1\n", i)
	}
	return b.String()
}

func TestMoreDocumentsAreReported(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a: 1": false, "a: 1\n---\n": false, "a: 1\n...\n": false, "---\na: 1\n": false,
		"a: 1\n---\nb: 2\n": true, "a: 1\n---\n[": true, "a: 1\n---\n\n---\nb: 2\n": false,
	} {
		_, hasMore, err := Read([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, hasMore, text)
	}
}

// The library compares each key of a map with all others, and keeps a text about each pair.
func TestMapsWithManyKeysAreBounded(t *testing.T) {
	_, _, err := Read([]byte(keys(10_000)))
	require.NoError(t, err)
	many := keys(1_000)
	anchored := "a: &a\n  " + strings.ReplaceAll(strings.TrimSpace(many), "\n", "\n  ") + "\nall: [" + strings.Repeat("*a, ", 200) + "]\n"
	for text, want := range map[string]string{
		keys(100_000): "yaml: line 1: the maps have too many keys: one map may have 10000, and several large ones fewer",
		strings.Repeat("- "+strings.ReplaceAll(many, "\n", "\n  ")+"\n", 200): "the maps have too many keys",
		anchored: "the maps have too many keys",
		"a: 1\n" + strings.Repeat("b: 2\n", 200_000): "line 3: mapping key \"b\" already defined at line 2",
		strings.Repeat(" ", MaxBytes+1):              "it has more than 16777216 bytes",
		"a: &a {b: *a}\n? [x]\n: 1\n? [y]\n: 2\n":    "already defined",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read([]byte(text))
		require.ErrorContains(t, err, want)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<30))
	}
}
