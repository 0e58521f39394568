package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestRecipes runs every command that docs/limiters.md shows, from top to bottom, with the
// rules-file that it shows: none is refused.
func TestRecipes(t *testing.T) {
	text, err := os.ReadFile("../docs/limiters.md")
	require.NoError(t, err)
	_, yaml, _ := strings.Cut(string(text), "```yaml\n")
	yaml, _, found := strings.Cut(yaml, "```")
	require.True(t, found)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte(yaml), 0o600))

	c := resptest.Dial(t, startServer(t, "--rules-file", file))
	require.Len(t, c.Do("CL.RULE", "LIST"), 2)
	run := 0
	shown := regexp.MustCompile(`(?m)^    (?:> )?(CL\..*?)(?: {4,}.*)?$`)
	for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
		var args []any
		for _, word := range strings.Fields(m[1]) {
			args = append(args, word)
		}
		reply := c.Do(args...)
		if err, refused := reply.(resptest.Error); refused {
			t.Errorf("%s: %s", m[1], err)
		}
		run++
	}
	require.Greater(t, run, 10)
	require.Equal(t, int64(0), c.Do("CL.CHECK", "search", "k").([]any)[0])
}
