package all_test

import (
	"cellserver/commands"
	"cmp"
	"encoding/json"
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
		require.NoError(t, os.WriteFile(reference, []byte(markdown(t)), 0o644))
	}
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.True(t, markdown(t) == string(text), "docs/commands.md is out of date: go generate ./commands/all")
}

func TestReferenceHasEveryCommand(t *testing.T) {
	text := markdown(t)
	for _, c := range commands.ByName() {
		require.Equal(t, runs(c), strings.Contains(text, "\n| ["+title(c)+"]("), c.FullName())
		if runs(c) {
			require.FileExists(t, "../../"+file(c), c.FullName())
			require.NotEmpty(t, c.Docs().Summary, c.FullName())
		}
	}
}

// TestDocsAreOfCommands requires that docs.json has exactly the commands of the table.
func TestDocsAreOfCommands(t *testing.T) {
	file, err := os.Open("../docs.json")
	require.NoError(t, err)
	defer file.Close()
	var docs map[string]commands.Docs
	read := json.NewDecoder(file)
	read.DisallowUnknownFields()
	require.NoError(t, read.Decode(&docs))
	var documented, registered []string
	for name := range docs {
		documented = append(documented, name)
	}
	for _, c := range commands.ByName() {
		registered = append(registered, c.FullName())
	}
	require.ElementsMatch(t, registered, documented)
}

// TestEveryCommandHasATest requires that the _test.go beside the file of a command calls it. One
// string of the test must begin with the name of the command.
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

// groupTitles are the groups of the reference in their order. No title may be the name of a
// command, because both are headings.
var groupTitles = []struct {
	group commands.Group
	title string
}{
	{commands.GroupLimiter, "Rate limiting"}, {commands.GroupString, "Strings and counters"}, {commands.GroupHash, "Hashes"}, {commands.GroupSet, "Sets"}, {commands.GroupList, "Lists"}, {commands.GroupSortedSet, "Sorted sets"}, {commands.GroupGeneric, "Keys of any type"},
	{commands.GroupTransaction, "Transactions"}, {commands.GroupScripting, "Scripts"}, {commands.GroupPubSub, "Publish and subscribe"}, {commands.GroupConnection, "Connections"},
	{commands.GroupServer, "Server"}, {commands.GroupCluster, "Cluster nodes"},
}

const docsHead = `# Commands

Generated from the table of commands and from [examples.txt](examples.txt) (` + "`go generate ./commands/all`" + `); do not edit.

A command that Redis has behaves as in Redis %s, unless its section says otherwise. *Since* is the version of Redis that
introduced the command. ` + "`COMMAND DOCS`" + ` replies with the same facts at run time.

Every example starts from an empty server, whose clock stands at 2027-01-15 08:00:00 UTC (1800000000 seconds since 1970).
Replies look as redis-cli prints them. A prompt ` + "`other>`" + ` is a second client; a ` + "`>`" + ` alone waits for a message;
` + "`…`" + ` stands for any text. A test runs every example and compares the replies.
`

// limiterNotes explain the reply that all limiters share.
const limiterNotes = `
A limiter replies with five integers, unless its section says otherwise:

| | |
|---|---|
| limited | 0: the action is allowed; 1: the action is refused, and the limiter counts nothing |
| limit | the largest quantity that is allowed at once; for CL.THROTTLE max_burst + 1 |
| remaining | the quantity that is still allowed now |
| retry_after | seconds until the action is allowed, rounded up; -1 if it is allowed now, or can never be |
| reset_after | seconds until the whole limit is available again, rounded up |

` + "`CL.THROTTLE user:1 15 30 60`" + ` allows 30 actions a minute and 16 at once. A quantity of 0 counts nothing. With CL.THROTTLE
and the other GCRA commands a negative quantity gives actions back. Times are in seconds, and may be decimal
(` + "`0.25`" + `), except in CL.THROTTLE and CL.PROBE, which are as strict as redis-cell.

Options come last, in any order. ` + "`MS`" + ` gives retry_after and reset_after in milliseconds. ` + "`PEEK`" + ` decides without counting.
CL.THROTTLE and CL.PROBE take options only after an explicit quantity.
`

// markdown returns the text of docs/commands.md.
func markdown(t *testing.T) string {
	examples := readExamples(t)
	var b strings.Builder
	fmt.Fprintf(&b, docsHead, commands.RedisVersion)
	for _, g := range groupTitles {
		listed := slices.DeleteFunc(commands.ByName(), func(c *commands.Command) bool { return c.Group != g.group || !runs(c) })
		if len(listed) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| command | |\n|---|---|\n", g.title)
		for _, c := range listed {
			fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", title(c), anchor(c), strings.ReplaceAll(firstSentence(c.Docs().Summary), "|", `\|`))
		}
		if g.group == commands.GroupLimiter {
			b.WriteString(limiterNotes)
		}
		for _, c := range listed {
			require.NotEmpty(t, examples[title(c)], "%s has no example in docs/examples.txt", title(c))
			section(&b, c, examples[title(c)])
		}
	}
	return b.String()
}

// readExamples parses docs/examples.txt: the lines below "## NAME", by the name of the command.
func readExamples(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../docs/examples.txt")
	require.NoError(t, err)
	examples := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		name, lines, _ := strings.Cut(part, "\n")
		examples[name] = strings.TrimSpace(lines)
	}
	return examples
}

// runs reports whether a client can call the command itself. It cannot call a parent of
// subcommands.
func runs(c *commands.Command) bool { return c.Run != nil }

// title returns the name of a command in capitals: "CLIENT KILL".
func title(c *commands.Command) string {
	return strings.ToUpper(strings.Replace(c.FullName(), "|", " ", 1))
}

// anchor returns the fragment of the command's section on GitHub.
func anchor(c *commands.Command) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(title(c)), ".", ""), " ", "-")
}

// section writes the section of one command.
func section(b *strings.Builder, c *commands.Command, example string) {
	fmt.Fprintf(b, "\n### %s\n\n`%s`\n\n%s.\n\n", title(c), strings.TrimSpace(title(c)+" "+usageOf(c.Docs().Arguments)), firstSentence(c.Docs().Summary))
	fmt.Fprintf(b, "| time | since | code |\n|---|---|---|\n| %s | %s | [%s](../%s) |\n\n",
		cmp.Or(strings.ReplaceAll(firstSentence(c.Docs().Complexity), "|", `\|`), "–"), since(c), filepath.Base(file(c)), file(c))
	fmt.Fprintf(b, "```redis\n%s\n```\n", example)
}

// since is the Redis version that introduced the command, with a link to Redis's own page.
func since(c *commands.Command) string {
	if c.Docs().Since == "" {
		return "–"
	}
	name := strings.ReplaceAll(strings.ToLower(title(c)), " ", "-")
	return fmt.Sprintf("[%s](https://redis.io/docs/latest/commands/%s/)", c.Docs().Since, name)
}

// firstSentence returns the first sentence of a text, without its full stop.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), "."), ". ")
	return first
}

// file returns the path of the source file with the function of the command, or with its row if
// commands.Value has made the function.
func file(c *commands.Command) string {
	path, _ := runtime.FuncForPC(reflect.ValueOf(c.Run).Pointer()).FileLine(reflect.ValueOf(c.Run).Pointer())
	_, inModule, _ := strings.Cut(filepath.ToSlash(path), "/commands/")
	if inModule != "values.go" {
		return "commands/" + inModule
	}
	row := regexp.MustCompile(`(Name: |\bregister\w*\()"` + c.Name + `"`)
	all, _ := filepath.Glob("../*/*.go")
	for _, path := range all {
		text, _ := os.ReadFile(path)
		if !strings.HasSuffix(path, "_test.go") && row.Match(text) {
			return "commands/" + strings.TrimPrefix(filepath.ToSlash(path), "../")
		}
	}
	return ""
}
