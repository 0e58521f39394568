package commands

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:generate go test . -run TestReferenceIsCurrent -update

var update = flag.Bool("update", false, "write docs/commands.md instead of comparing it")

const reference = "../docs/commands.md"

func TestReferenceIsCurrent(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(reference, []byte(markdown()), 0o644))
	}
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.True(t, markdown() == string(text), "docs/commands.md is out of date: go generate ./commands")
}

func TestReferenceHasEveryCommand(t *testing.T) {
	text := markdown()
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

// groupTitles are the groups of the reference, in its order.
var groupTitles = []struct {
	group Group
	title string
}{
	{Limiter, "Rate limiting"}, {String, "Strings and counters"}, {SortedSet, "Sorted sets"}, {Generic, "Keys"},
	{Transaction, "Transactions"}, {PubSubGroup, "Publish and subscribe"}, {Connection, "Connections"},
	{ServerGroup, "Server"}, {Cluster, "Cluster"},
}

const docsHead = `# Commands

Generated from the table of commands (` + "`go generate ./commands`" + `); do not edit.

Commands that Redis has behave as in Redis %s, unless their row says otherwise; *since* is the version of Redis that
brought them. Each name leads to the code. ` + "`COMMAND DOCS`" + ` says the same at run time.
`

// limiterNotes explain what no other server's reference does.
const limiterNotes = `
The reply of each, unless its code says otherwise, is five integers:

| | |
|---|---|
| limited | 0: it may happen; 1: it may not, and nothing was counted |
| limit | how many may happen at once: for CL.THROTTLE max_burst + 1 |
| remaining | how many more may happen now |
| retry_after | seconds until it may happen, rounded up; -1 when it may now, or never can |
| reset_after | seconds until all of limit may happen again, rounded up |

` + "`CL.THROTTLE user:1 15 30 60`" + ` allows 30 actions a minute and 16 at once. A quantity of 0 asks how things are; of CL.THROTTLE
and its like a negative one gives back. Periods and other times are in seconds and may be decimal (` + "`0.25`" + `), but for
CL.THROTTLE's and CL.PROBE's, which are as strict as redis-cell.

Options come last, in any order: ` + "`MS`" + ` gives retry_after and reset_after in milliseconds, ` + "`PEEK`" + ` decides without counting.
CL.THROTTLE and CL.PROBE take them after an explicit quantity.
`

// markdown is docs/commands.md.
func markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, docsHead, RedisVersion)
	for _, g := range groupTitles {
		commands := slices.DeleteFunc(byName(), func(c *Command) bool { return c.Group != g.group || !c.runs() })
		if len(commands) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| command | | since | time |\n|---|---|---|---|\n", g.title)
		for _, c := range commands {
			c.row(&b)
		}
		if g.group == Limiter {
			b.WriteString(limiterNotes)
		}
	}
	return b.String()
}

// runs reports whether a command can be called as it is: a parent of subcommands may not.
func (c *Command) runs() bool { return c.Run != nil }

func (c *Command) row(b *strings.Builder) {
	name := strings.ToUpper(strings.Replace(c.FullName(), "|", " ", 1))
	usage := ""
	if c.Usage != "" {
		usage = " `" + strings.ReplaceAll(c.Usage, "|", `\|`) + "`"
	}
	since := c.Since
	if since == "" {
		since = "–"
	}
	fmt.Fprintf(b, "| [%s](../commands/%s)%s | %s | %s | %s |\n", name, c.file(), usage,
		cell(c.Summary), since, cell(c.Complexity))
}

// cell makes a text fit into a cell of a table: its first sentence.
func cell(text string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), "."), ". ")
	return strings.ReplaceAll(first, "|", `\|`)
}

// file is the name of the source file that holds what the command runs.
func (c *Command) file() string {
	path, _ := runtime.FuncForPC(reflect.ValueOf(c.Run).Pointer()).FileLine(reflect.ValueOf(c.Run).Pointer())
	return filepath.Base(path)
}
