package all_test

import (
	"cellserver/commands"
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

const reference = "../../docs/commands.md"

func TestReferenceIsCurrent(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(reference, []byte(markdown()), 0o644))
	}
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.True(t, markdown() == string(text), "docs/commands.md is out of date: go generate ./commands/all")
}

func TestReferenceHasEveryCommand(t *testing.T) {
	text := markdown()
	for _, c := range commands.ByName() {
		require.Equal(t, runs(c), strings.Contains(text, "\n| ["+strings.ToUpper(strings.Replace(c.FullName(), "|", " ", 1))+"]("), c.FullName())
		if runs(c) {
			require.FileExists(t, "../../"+file(c), c.FullName())
			require.NotEmpty(t, c.Summary, c.FullName())
		}
	}
}

// A command without a test is not done: the _test.go beside its file must have a string
// that begins with its name, or a parent's and its own.
func TestEveryCommandHasATest(t *testing.T) {
	var untested []string
	for _, c := range commands.ByName() {
		if c.Name == "help" || !runs(c) {
			continue
		}
		beside := strings.TrimSuffix(file(c), ".go") + "_test.go"
		tests, err := os.ReadFile("../../" + beside)
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
	group commands.Group
	title string
}{
	{commands.GroupLimiter, "Rate limiting"}, {commands.GroupString, "Strings and counters"}, {commands.GroupSortedSet, "Sorted sets"}, {commands.GroupGeneric, "Keys"},
	{commands.GroupTransaction, "Transactions"}, {commands.GroupPubSub, "Publish and subscribe"}, {commands.GroupConnection, "Connections"},
	{commands.GroupServer, "Server"}, {commands.GroupCluster, "Cluster"},
}

const docsHead = `# Commands

Generated from the table of commands (` + "`go generate ./commands/all`" + `); do not edit.

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
	fmt.Fprintf(&b, docsHead, commands.RedisVersion)
	for _, g := range groupTitles {
		listed := slices.DeleteFunc(commands.ByName(), func(c *commands.Command) bool { return c.Group != g.group || !runs(c) })
		if len(listed) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| command | | since | time |\n|---|---|---|---|\n", g.title)
		for _, c := range listed {
			row(c, &b)
		}
		if g.group == commands.GroupLimiter {
			b.WriteString(limiterNotes)
		}
	}
	return b.String()
}

// runs reports whether a command can be called as it is: a parent of subcommands may not.
func runs(c *commands.Command) bool { return c.Run != nil }

func row(c *commands.Command, b *strings.Builder) {
	name := strings.ToUpper(strings.Replace(c.FullName(), "|", " ", 1))
	usage := ""
	if c.Usage != "" {
		usage = " `" + strings.ReplaceAll(c.Usage, "|", `\|`) + "`"
	}
	since := c.Since
	if since == "" {
		since = "–"
	}
	fmt.Fprintf(b, "| [%s](../%s)%s | %s | %s | %s |\n", name, file(c), usage,
		cell(c.Summary), since, cell(c.Complexity))
}

// cell makes a text fit into a cell of a table: its first sentence.
func cell(text string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), "."), ". ")
	return strings.ReplaceAll(first, "|", `\|`)
}

// file is the path, from the module's root, of the source file that holds what the command runs.
func file(c *commands.Command) string {
	path, _ := runtime.FuncForPC(reflect.ValueOf(c.Run).Pointer()).FileLine(reflect.ValueOf(c.Run).Pointer())
	_, inModule, _ := strings.Cut(filepath.ToSlash(path), "/commands/")
	return "commands/" + inModule
}
