package commands

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/commands.md instead of comparing it")

const reference = "../docs/commands.md"

func TestReferenceIsCurrent(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(reference, []byte(Markdown()), 0o644))
	}
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.True(t, Markdown() == string(text), "docs/commands.md is out of date: go generate ./commands")
}

func TestReferenceHasEveryCommand(t *testing.T) {
	text := Markdown()
	for _, c := range everyCommand {
		require.Equal(t, c.runs(), strings.Contains(text, "\n| ["+strings.ToUpper(strings.Replace(c.FullName(), "|", " ", 1))+"]("), c.FullName())
		if c.runs() {
			require.FileExists(t, c.file(), c.FullName())
			require.NotEmpty(t, c.Summary, c.FullName())
		}
	}
}

// A command without a test is not done: the _test.go beside its file must have a string
// that begins with its name, or a parent's and its own.
func TestEveryCommandHasATest(t *testing.T) {
	var untested []string
	for _, c := range everyCommand {
		if c.Name == "help" || !c.runs() {
			continue
		}
		beside := strings.TrimSuffix(c.file(), ".go") + "_test.go"
		tests, err := os.ReadFile(beside)
		words := strings.Split(regexp.QuoteMeta(c.FullName()), `\|`)
		called := regexp.MustCompile("(?i)[\"`]" + strings.Join(words, `( |", ")`) + `["` + "` ]")
		if err != nil || !called.Match(tests) {
			untested = append(untested, c.FullName()+" ("+beside+")")
		}
	}
	require.Empty(t, untested, "call them in the tests beside their files")
}
