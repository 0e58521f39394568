package tests

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A question is one of somebody who sees the code for the first time. The answer is at most two hops away from the
// map in README.md, the section "The source".
type question struct {
	ask    string
	words  string // of the line of the map to follow
	link   string // of that line
	second string // a link of the page, or a file that the folder's doc.go or the line of the map names; "" without a second hop
	answer string // a text in the file at the end
}

// searches are the questions that newcomers asked.
var searches = []question{
	{"Where is ZADD?", "`ZADD`", "commands/sortedsets", "zadd.go", `Name: "zadd"`},
	{"Where is a reply written?", "every reply", "resp", "writer.go", "type Writer struct"},
	{"Where does a key expire?", "expiry (`entry.go`", "store", "entry.go", "expired"},
	{"Where is the log synced?", "fsyncs the log", "persistence/aof", "journal_write.go", "Sync()"},
	{"What does SIGTERM do?", "SIGTERM", "cmd/cellserver", "signals.go", "SIGTERM"},
	{"Where does CL.PACE decide?", "[pace/]", "limiters/pace", "pace.go", "Decide("},
	{"Who locks what?", "lists the locks", "docs/architecture.md", "", "## Who locks what"},
	{"Where is AUTH checked?", "`rights.go`: AUTH", "server", "rights.go", "MustAuthenticate"},
	{"What makes EXEC atomic?", "`EXEC`", "commands/transactions", "doc.go", "EXEC is atomic because"},
	{"Where would XADD go?", "says where to find what", "docs/architecture.md#where-to-find-what", "docs/adding-a-type.md", "# Adding a type"},
	{"Where does CL.THROTTLE decide?", "`CL.THROTTLE`, as a pure function", "gcra", "decide.go", "Decide("},
	{"Where does a request over HTTP become a command?", "a request becomes a command", "httpapi/line", "lines.go", "type Lines struct"},
}

// TestSearches follows each search: README.md, one link, and at most one more hop.
func TestSearches(t *testing.T) {
	readme := readText(t, "README.md")
	_, sourceMap, ok := strings.Cut(readme, "\n## The source\n")
	require.True(t, ok, "README.md has no section \"The source\"")
	for _, s := range searches {
		t.Run(s.ask, func(t *testing.T) {
			line := lineWith(sourceMap, s.words)
			require.NotEmpty(t, line, "the map of README.md has no line with %q", s.words)
			require.Regexp(t, `\]\(`+regexp.QuoteMeta(s.link)+`\)`, line, "the line of the map does not link to %s", s.link)
			end := s.follow(t, line)
			if s.answer != "" {
				require.Contains(t, readText(t, end), s.answer, "%s does not answer the question", end)
			}
			t.Logf("README.md → %s → %s", s.link, end)
		})
	}
}

// follow returns the file at which a search ends.
func (s question) follow(t *testing.T, line string) string {
	t.Helper()
	page, _, _ := strings.Cut(s.link, "#")
	switch {
	case s.second == "":
		return page
	case strings.HasSuffix(page, ".md"):
		require.Contains(t, readText(t, page), "]("+path.Base(s.second)+")", "%s has no link to %s", page, s.second)
		return s.second
	}
	end := path.Join(page, s.second)
	if s.second == "doc.go" {
		return end
	}
	command := strings.TrimSuffix(s.second, ".go") // the file of a command has the command's name
	named := strings.Contains(strings.ToLower(line), "`"+command+"`") || strings.Contains(line, s.second) ||
		strings.Contains(readText(t, page+"/doc.go"), s.second)
	require.True(t, named, "neither the map of README.md nor %s/doc.go names %s", page, s.second)
	return end
}

// lineWith returns the first line of a text with these words, "" if there is no such line.
func lineWith(text, words string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}

// readText reads a file of the module.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// maxReadmeLines is the length of README.md. Its reader has two minutes.
const maxReadmeLines = 150

// TestReadmeIsShort holds README.md to its length, and the map of its sources to every folder.
func TestReadmeIsShort(t *testing.T) {
	text := readText(t, "README.md")
	require.LessOrEqual(t, strings.Count(text, "\n"), maxReadmeLines, "move what is reference to docs/")
	_, sourceMap, _ := strings.Cut(text, "\n## The source\n")
	for name := range mayImport {
		top, _, _ := strings.Cut(name, "/")
		require.Contains(t, sourceMap, "]("+top, "the map of README.md has no folder %s/", top)
	}
}
