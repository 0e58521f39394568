package commands

import (
	"flag"
	"os"
	"path/filepath"
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
	require.Equal(t, Markdown(), string(text), "docs/commands.md is out of date: go generate ./commands")
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

// A command without a test is not done: its name, or a parent's and its own, must begin
// a string in some test of this package.
func TestEveryCommandHasATest(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var tests strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		tests.Write(text)
	}
	var untested []string
	for _, c := range everyCommand {
		if c.Name == "help" || !c.runs() {
			continue
		}
		words := strings.Split(regexp.QuoteMeta(c.FullName()), `\|`)
		called := regexp.MustCompile("(?i)[\"`]" + strings.Join(words, `( |", ")`) + `["` + "` ]")
		if !called.MatchString(tests.String()) {
			untested = append(untested, c.FullName()+" ("+c.file()+")")
		}
	}
	require.Empty(t, untested, "call them in the _test.go beside their files")
}
