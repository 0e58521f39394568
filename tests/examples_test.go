package tests

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the replies of the documents' examples instead of comparing them")

const examplesFile = "docs/examples.txt"

// An example is the part of docs/examples.txt that shows one command, under a line "## NAME".
type example struct {
	name     string // in capitals; a subcommand's after its parent's
	from, to int    // its lines in the file, from 0
}

// examples finds the examples of docs/examples.txt. The lines before the first one explain the format.
func examples(t *testing.T) (file *document, all []example) {
	t.Helper()
	file = readDocument(t, examplesFile)
	for i, line := range file.lines {
		if name, begins := strings.CutPrefix(line, "## "); begins {
			all = append(all, example{name: name, from: i + 1})
		}
		if len(all) > 0 {
			all[len(all)-1].to = i + 1
		}
	}
	require.NotEmpty(t, all)
	return file, all
}

// TestExamples runs every example of docs/examples.txt, which docs/commands.md shows, over the wire. With -update it
// writes the replies that differ into the file.
func TestExamples(t *testing.T) {
	file, all := examples(t)
	defer file.save(t)
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			script := file.play(t, e.from, e.to, "")
			require.True(t, slices.ContainsFunc(script.steps, func(s step) bool { return calls(s, e.name) }), "the example does not call its command")
		})
	}
}

// calls reports whether a step runs the command of a name.
func calls(s step, name string) bool {
	return regexp.MustCompile(`(?i)^` + regexp.QuoteMeta(name) + `( |$)`).MatchString(s.command)
}

// TestEveryCommandHasAnExample compares docs/examples.txt with what COMMAND says that the server has.
func TestEveryCommandHasAnExample(t *testing.T) {
	_, all := examples(t)
	shown := map[string]bool{}
	for _, e := range all {
		require.False(t, shown[e.name], "%s has two examples", e.name)
		shown[e.name] = true
	}
	for _, name := range everyCommand(t, resptest.Dial(t, startServer(t))) {
		if !shown[name] {
			t.Errorf("%s has no example: add one to docs/examples.txt, and then go generate ./commands", name)
		}
		delete(shown, name)
	}
	require.Empty(t, shown, "docs/examples.txt shows commands that the server does not have")
}

// everyCommand asks a server for the names of its commands, parents that only have subcommands left out.
func everyCommand(t *testing.T, c *resptest.Client) (names []string) {
	t.Helper()
	for _, row := range c.Do("COMMAND").([]any) {
		fields := row.([]any)
		subs := fields[9].([]any)
		if len(subs) == 0 || fields[0] == "command" {
			names = append(names, strings.ToUpper(fields[0].(string)))
		}
		for _, sub := range subs {
			names = append(names, strings.ToUpper(strings.Replace(sub.([]any)[0].(string), "|", " ", 1)))
		}
	}
	return names
}
