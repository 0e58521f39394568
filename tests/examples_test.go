package tests

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the replies of docs/examples.txt instead of comparing them")

const examplesFile = "../docs/examples.txt"

// An example is the part of docs/examples.txt that shows one command, under a line "## NAME".
type example struct {
	name  string // in capitals; a subcommand's after its parent's
	at    int    // its first line in the file, from 0
	lines []string
}

// examples reads docs/examples.txt. What stands before the first example explains the format.
func examples(t testing.TB) (all []example, lines []string) {
	t.Helper()
	text, err := os.ReadFile(examplesFile)
	require.NoError(t, err)
	lines = strings.Split(string(text), "\n")
	for i, line := range lines {
		if name, begins := strings.CutPrefix(line, "## "); begins {
			all = append(all, example{name: name, at: i + 1})
		} else if len(all) > 0 {
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	require.NotEmpty(t, all)
	return all, lines
}

// TestExamples runs every example of docs/examples.txt, which docs/commands.md shows, over the wire. With -update it
// writes the replies that differ into the file.
func TestExamples(t *testing.T) {
	all, lines := examples(t)
	type change struct{ from, to, at int }
	replies := map[change][]string{}
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			script := parseTranscript(t, e.lines)
			require.NotEmpty(t, script.steps)
			require.True(t, slices.ContainsFunc(script.steps, func(s step) bool { return calls(s, e.name) }), "the example does not call its command")
			script.play(t, func(s step, got []string) {
				if !*update {
					t.Errorf("docs/examples.txt:%d: %s\nshown:\n%s\nreplied:\n%s", e.at+s.line+1, s.command,
						strings.Join(s.want, "\n"), strings.Join(got, "\n"))
				}
				from := e.at + s.line + 1
				replies[change{from, from + len(s.want), from}] = got
			})
		})
	}
	if !*update {
		return
	}
	var changes []change
	for c := range replies {
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b change) int { return b.at - a.at })
	for _, c := range changes {
		lines = slices.Replace(lines, c.from, c.to, replies[c]...)
	}
	require.NoError(t, os.WriteFile(examplesFile, []byte(strings.Join(lines, "\n")), 0o644))
}

// calls reports whether a step runs the command of a name.
func calls(s step, name string) bool {
	return regexp.MustCompile(`(?i)^` + regexp.QuoteMeta(name) + `( |$)`).MatchString(s.command)
}

// TestEveryCommandHasAnExample compares docs/examples.txt with what COMMAND says that the server has.
func TestEveryCommandHasAnExample(t *testing.T) {
	all, _ := examples(t)
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
func everyCommand(t testing.TB, c *resptest.Client) (names []string) {
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
