package tests

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"cellserver/internal/quote"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// exampleTime is the moment, in Unix nanoseconds, at which the clock of every example stands:
// 2027-01-15 08:00:00 UTC.
const exampleTime = 1_800_000_000_000_000_000

// A step is one command of a transcript with the reply that the transcript shows.
//
//	> GET key            the first client sends a command
//	other> GET key       another client, named other, sends a command
//	>                    the first client waits for a message that no command of its own asked for
//	"value"              the reply, as redis-cli prints it
//	(no reply)           the server sends none; if it does, the next step meets it
//	(connection closed)  the server ends the connection instead
//	"value"    why       four spaces end a line's own text; what follows explains it
//	…                    any text within a line; alone on a line, any number of lines
type step struct {
	line    int // where the command stands, from 0
	client  string
	command string // "" waits for a message
	want    []string
}

// A transcript is what a block of a document shows.
type transcript struct {
	directives []string // of the server: from a first line "$ cellserver --directive value"
	steps      []step
}

var (
	prompt     = regexp.MustCompile(`^(\w*)>(?: (.*))?$`)
	annotation = regexp.MustCompile(`(\S)\s{4,}\S.*$`)
)

const startLine = "$ cellserver"

// A document is a text file of this repository that has transcripts.
type document struct {
	path  string // from the repository's root
	lines []string
	edits []edit
	web   *web // of its http blocks; nil before the first one
}

// An edit replaces lines of a page.
type edit struct {
	from, to int
	lines    []string
}

// readDocument reads a page.
func readDocument(t *testing.T, path string) *document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), path))
	require.NoError(t, err)
	return &document{path: path, lines: strings.Split(string(text), "\n")}
}

// play runs the transcript in some lines of the page, on a server of its own. rules is the path of the file that the
// transcript calls rules.yaml. A reply that differs is a failure or, with -update, an edit.
func (p *document) play(t *testing.T, from, to int, rules string) transcript {
	t.Helper()
	script := parseTranscript(t, p.lines[from:to])
	require.NotEmpty(t, script.steps, "%s:%d: no line begins with >", p.path, from+1)
	for i, word := range script.directives {
		if word == "rules.yaml" {
			script.directives[i] = rules
		}
	}
	script.play(t, func(s step, got []string) {
		at := from + s.line + 1
		if *update {
			p.edits = append(p.edits, edit{at, at + len(s.want), got})
			return
		}
		t.Errorf("%s:%d: %s\nshown:\n%s\nreplied:\n%s", p.path, at, s.command, strings.Join(s.want, "\n"), strings.Join(got, "\n"))
	})
	return script
}

// save writes the page if there are edits.
func (p *document) save(t *testing.T) {
	if len(p.edits) == 0 {
		return
	}
	slices.SortFunc(p.edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range p.edits {
		p.lines = slices.Replace(p.lines, e.from, e.to, e.lines...)
	}
	require.NoError(t, os.WriteFile(filepath.Join(root(t), p.path), []byte(strings.Join(p.lines, "\n")), 0o644))
}

// parseTranscript reads the lines of a block.
func parseTranscript(t *testing.T, lines []string) (all transcript) {
	t.Helper()
	for i, line := range lines {
		line = strings.TrimRight(annotation.ReplaceAllString(line, "$1"), " ")
		if flags, starts := strings.CutPrefix(line, startLine); starts && len(all.steps) == 0 {
			words, err := quote.Split(flags)
			require.NoError(t, err, line)
			all.directives = words
			continue
		}
		if m := prompt.FindStringSubmatch(line); m != nil {
			all.steps = append(all.steps, step{line: i, client: m[1], command: m[2]})
			continue
		}
		if len(all.steps) == 0 {
			require.Empty(t, line, "a transcript begins with a command")
			continue
		}
		last := &all.steps[len(all.steps)-1]
		last.want = append(last.want, line)
	}
	for i := range all.steps {
		s := &all.steps[i]
		for len(s.want) > 0 && s.want[len(s.want)-1] == "" {
			s.want = s.want[:len(s.want)-1]
		}
	}
	return all
}

// play runs a transcript on a server of its own, which is empty and whose clock stands, and calls
// differs for each step whose reply is not the one that the transcript shows.
func (all transcript) play(t *testing.T, differs func(s step, got []string)) {
	t.Helper()
	// On a busy machine any command may be slow, and the slow log would have an entry that no example shows.
	fixed := []string{"--dir", t.TempDir(), "--slowlog-log-slower-than", "-1"}
	address := startServer(t, append(fixed, all.directives...)...)
	first := resptest.Dial(t, address)
	if err, failed := first.Do("DEBUG", "CLOCK", "SET", strconv.FormatInt(exampleTime, 10)).(resptest.Error); failed {
		require.Contains(t, string(err), "NOAUTH", "the clock cannot be set")
	}
	first.Do("CONFIG", "RESETSTAT")
	clients := map[string]*resptest.Client{"": first}
	for _, s := range all.steps {
		c := clients[s.client]
		if c == nil {
			c = resptest.Dial(t, address)
			clients[s.client] = c
		}
		if got := s.run(t, c); !s.matches(got) {
			differs(s, got)
		}
	}
}

// noReply stands for the reply of a command that has none.
const noReply = "(no reply)"

// run sends the step's command and returns the lines of its reply.
func (s step) run(t *testing.T, c *resptest.Client) []string {
	t.Helper()
	if s.command != "" {
		words, err := quote.Split(s.command)
		require.NoError(t, err, s.command)
		args := make([]any, len(words))
		for i, w := range words {
			args[i] = w
		}
		c.Send(args...)
		if len(s.want) == 1 && s.want[0] == noReply {
			return s.want
		}
	}
	reply, err := c.TryRecv()
	for push, is := reply.(resptest.Push); is && s.command != ""; push, is = reply.(resptest.Push) {
		c.Pushes = append(c.Pushes, push)
		reply, err = c.TryRecv()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return []string{"(connection closed)"}
	}
	require.NoError(t, err, s.command)
	return strings.Split(strings.TrimRight(shown(reply, ""), "\n"), "\n")
}

// matches reports whether a reply is the one that the transcript shows.
func (s step) matches(got []string) bool {
	if len(s.want) == 0 || s.want[0] == "…" && strings.HasPrefix(got[0], "(error)") {
		return false // an example shows a reply, and an error as one
	}
	var pattern strings.Builder
	for _, line := range s.want {
		if line == "…" {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\n`)
	}
	text := ""
	for _, line := range got {
		text += strings.TrimRight(line, " ") + "\n"
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(text)
}

// shown is a reply as redis-cli prints it, with a line end. Lines after the first begin with indent.
// A bulk string of several printable lines is shown as it is, as redis-cli does for INFO and its like.
func shown(reply any, indent string) string {
	switch v := reply.(type) {
	case resptest.Simple:
		return string(v) + "\n"
	case resptest.Error:
		return "(error) " + string(v) + "\n"
	case int64:
		return fmt.Sprintf("(integer) %d\n", v)
	case float64:
		return "(double) " + strconv.FormatFloat(v, 'g', -1, 64) + "\n"
	case bool:
		return fmt.Sprintf("(%t)\n", v)
	case resptest.Nil:
		return "(nil)\n"
	case string:
		if indent == "" && strings.Contains(v, "\n") && isText(v) {
			return strings.ReplaceAll(v, "\r\n", "\n")
		}
		return inQuotes(v) + "\n"
	case resptest.Verbatim:
		return strings.ReplaceAll(v.Text, "\r\n", "\n")
	case resptest.BigNumber:
		return string(v) + "\n"
	case []any:
		return shownAll(v, ")", "(empty array)", indent)
	case resptest.Push:
		return shownAll(v, ")", "(empty push)", indent)
	case resptest.Set:
		return shownAll(v, "~", "(empty set)", indent)
	case resptest.Map:
		return shownMap(v, indent)
	}
	return fmt.Sprintf("(a reply of type %T)\n", reply)
}

func shownAll(all []any, sign, empty, indent string) string {
	if len(all) == 0 {
		return empty + "\n"
	}
	var b strings.Builder
	width := len(strconv.Itoa(len(all)))
	inner := indent + strings.Repeat(" ", width+2)
	for i, v := range all {
		if i > 0 {
			b.WriteString(indent)
		}
		fmt.Fprintf(&b, "%*d%s %s", width, i+1, sign, shown(v, inner))
	}
	return b.String()
}

func shownMap(all resptest.Map, indent string) string {
	if len(all) == 0 {
		return "(empty hash)\n"
	}
	var b strings.Builder
	width := len(strconv.Itoa(len(all)))
	inner := indent + strings.Repeat(" ", width+2)
	for i, p := range all {
		if i > 0 {
			b.WriteString(indent)
		}
		fmt.Fprintf(&b, "%*d# %s => %s", width, i+1, strings.TrimRight(shown(p.Key, inner), "\n"), shown(p.Value, inner))
	}
	return b.String()
}

// isText reports whether every character of s can be printed as it is, or is a line end.
func isText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\r' && !unicode.IsPrint(r) })
}

// inQuotes is a string in redis-cli's quotes.
func inQuotes(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '\\' || c == '"':
			b.WriteString(`\` + string(rune(c)))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\a':
			b.WriteString(`\a`)
		case c == '\b':
			b.WriteString(`\b`)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// TestTranscripts checks that a transcript accepts the replies that it shows, and no others.
func TestTranscripts(t *testing.T) {
	for _, test := range []struct {
		want    string
		got     []string
		matches bool
	}{
		{"OK", []string{"OK"}, true},
		{"OK", []string{"(nil)"}, false},
		{"OK", []string{"OK", "more"}, false},
		{"OK    as always", []string{"OK"}, true},
		{"1) \"a\"\n2) \"b\"", []string{`1) "a"`, `2) "b"`}, true},
		{"1) \"a\"\n…", []string{`1) "a"`, `2) "b"`}, true},
		{"…\n3) \"c\"", []string{`1) "a"`, `2) "b"`}, false},
		{"id=… db=0", []string{"id=7 name= db=0"}, true},
		{"id=… db=0", []string{"id=7 db=1"}, false},
		{"…", []string{"(error) ERR syntax error"}, false},
		{"", []string{"OK"}, false},
	} {
		script := parseTranscript(t, strings.Split("> PING    why not\n"+test.want, "\n"))
		require.Len(t, script.steps, 1)
		require.Equal(t, "PING", script.steps[0].command)
		require.Equal(t, test.matches, script.steps[0].matches(test.got), "%q and %q", test.want, test.got)
	}
}

// TestTranscriptsFail checks that a reply which differs is noticed over the wire, too.
func TestTranscriptsFail(t *testing.T) {
	script := parseTranscript(t, []string{"$ cellserver --databases 2", "> SET a 1", "OK", "other> GET a", `"2"`, "> SELECT 1", "OK", "> SELECT 2", "OK"})
	var noticed []string
	script.play(t, func(s step, got []string) { noticed = append(noticed, s.command+": "+strings.Join(got, "\n")) })
	require.Equal(t, []string{`GET a: "1"`, "SELECT 2: (error) ERR DB index is out of range"}, noticed)
}
