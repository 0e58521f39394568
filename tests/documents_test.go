package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cellserver/internal/config/configload"
	"cellserver/internal/quote"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// documents returns the pages that are for people: those in the root, docs/, docs/guides/ and clients/.
func documents(t *testing.T) []*document {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	var pages []*document
	for _, name := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} {
		pages = append(pages, readDocument(t, name))
	}
	for _, path := range paths {
		pages = append(pages, readDocument(t, "docs/"+filepath.Base(path)))
	}
	require.Greater(t, len(pages), 5)
	paths, err = filepath.Glob(filepath.Join(root(t), "docs", "guides", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		pages = append(pages, readDocument(t, "docs/guides/"+filepath.Base(path)))
	}
	paths, err = filepath.Glob(filepath.Join(root(t), "clients", "*", "README.md"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	pages = append(pages, readDocument(t, "clients/README.md"))
	for _, path := range paths {
		pages = append(pages, readDocument(t, "clients/"+filepath.Base(filepath.Dir(path))+"/README.md"))
	}
	return pages
}

// A block is a fenced part of a page.
type block struct {
	language string
	from, to int // its lines without the fences, from 0
}

// blocks finds the fenced blocks of a page. A page that tests/bench writes has indented ones instead: shell commands.
func (p *document) blocks(t *testing.T) (all []block) {
	t.Helper()
	open := false
	for i, line := range p.lines {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open:
			all[len(all)-1].to = i
			open = false
		case isFence:
			language, _, _ := strings.Cut(fence, " ") // the rest is the name of a variant
			all = append(all, block{language: language, from: i + 1})
			open = true
		case !open && strings.HasPrefix(line, "    ") && i > 0 && p.lines[i-1] == "" && p.path == "docs/performance.md":
			all = append(all, block{language: "sh", from: i, to: i + 1})
		}
	}
	require.False(t, open, "%s: a block has no end", p.path)
	return all
}

// TestDocuments runs every block of [documents] by its language:
//
//	redis   a transcript: its commands run over the wire, and the replies are compared (with -update, written)
//	sh      bash parses it; the directives and the files of this repository that it names must exist
//	yaml    rules: a server starts with them
//	go      compiled where the page says how, parsed elsewhere
//	http    requests over HTTP, with their replies (web_test.go)
//	nginx, caddy, traefik, envoy    the configuration of a proxy, which tests/proxies tests
//	go, python, js    in clients/: lines of a test in the folder of the page, and a test runs the first program
//	    of the page itself; in README.md: the first program of clients/node/README.md
//	go, python, js, java, rust, php, ruby, c, bash    in docs/guides: a program, which tests/guides runs
//	text    nothing runs it: a picture, a form, a log
//
// docs/commands.md is generated from docs/examples.txt, which TestExamples runs.
func TestDocuments(t *testing.T) {
	for _, p := range documents(t) {
		t.Run(p.path, func(t *testing.T) {
			defer p.save(t)
			blocks, rules := p.blocks(t), ""
			for _, b := range blocks {
				if b.language == "yaml" {
					rules = writeRules(t, p, b)
				}
			}
			for _, b := range blocks {
				p.run(t, b, rules)
			}
		})
	}
}

// proxies are the languages of the blocks that tests/proxies tests.
var proxies = []string{"nginx", "caddy", "traefik", "envoy", "kong"}

// programs are the languages of the blocks that tests/guides runs.
var programs = []string{"go", "python", "js", "java", "rust", "php", "ruby", "c", "bash"}

// testedIn are the languages of the blocks that are lines of a test of a client, each with the end of the test's name.
var testedIn = map[string]string{"go": "_test.go", "python": ".py", "js": ".mjs"}

// isTested reports whether a test in the folder of the page has these lines. The indentation may differ.
func (p *document) isTested(t *testing.T, lines, suffix string) (found bool) {
	t.Helper()
	folder := filepath.Join(root(t), filepath.Dir(p.path))
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "node_modules":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, suffix) || !strings.Contains(strings.TrimPrefix(path, folder), "test"):
			return nil
		}
		text, err := os.ReadFile(path)
		found = found || strings.Contains(flush(string(text)), strings.TrimSuffix(flush(lines), "\n"))
		return err
	})
	require.NoError(t, err)
	return found
}

// importLines are the first lines of a program. A test has them elsewhere.
var importLines = regexp.MustCompile(`(?m)^(package .*|import \([^)]*\)|import .*|from \S+ import .*)\n+`)

// flush removes the indentation of lines.
func flush(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

func (p *document) run(t *testing.T, b block, rules string) {
	t.Helper()
	switch text := strings.Join(p.lines[b.from:b.to], "\n"); {
	case p.path == "docs/commands.md", b.language == "text", b.language == "yaml":
	case p.path == "docs/http.md" && slices.Contains(proxies, b.language):
	case strings.HasPrefix(p.path, "docs/guides/") && slices.Contains(programs, b.language):
	case p.path == "README.md" && b.language == "js":
		_, first, _ := strings.Cut(readText(t, "clients/node/README.md"), "```js\n")
		same := strings.HasPrefix(first, text+"\n```\n")
		require.True(t, same, "%s:%d: clients/node/README.md begins with another program", p.path, b.from+1)
	case strings.HasPrefix(p.path, "clients/") && testedIn[b.language] != "":
		lines := importLines.ReplaceAllString(text+"\n", "")
		if b.from == p.blocks(t)[0].from { // a program, which a test reads from the page
			lines = "README.md"
		}
		tested := p.isTested(t, lines, testedIn[b.language])
		require.True(t, tested, "%s:%d: no test has these lines", p.path, b.from+1)
	case b.language == "http":
		p.playWeb(t, b)
	case b.language == "redis":
		p.play(t, b.from, b.to, rules)
	case b.language == "sh":
		p.checkShell(t, b, text)
	case b.language == "go":
		_, err := parser.ParseFile(token.NewFileSet(), p.path, asFile(text), parser.AllErrors)
		require.NoError(t, err, "%s:%d", p.path, b.from+1)
	default:
		t.Errorf("%s:%d: a block of language %q: TestDocuments says which there are", p.path, b.from, b.language)
	}
}

// asFile makes declarations or statements a Go file.
func asFile(text string) string {
	if strings.HasPrefix(text, "package ") {
		return text
	}
	if strings.HasPrefix(strings.TrimSpace(text), `"`) { // entries of a map
		return "package p\nvar _ = map[string]string{\n" + text + "\n}\n"
	}
	return "package p\n" + text
}

// writeRules writes a yaml block into a file, and requires that a server starts with it and knows its rules.
func writeRules(t *testing.T, p *document, b block) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(p.lines[b.from:b.to], "\n")), 0o600))
	c := resptest.Dial(t, startServer(t, "--rules-file", file))
	require.NotEmpty(t, c.Do("CL.RULE", "LIST"), "%s:%d", p.path, b.from+1)
	return file
}

// TestAddingACommand follows docs/adding-a-command.md: it lays the files that the page creates over the module, and runs
// the page's test of them. Before the family's folder is there, TestDocuments parses the files.
func TestAddingACommand(t *testing.T) {
	p := readDocument(t, "docs/adding-a-command.md")
	replace, family := map[string]string{}, ""
	for _, b := range p.blocks(t) {
		m := creates.FindStringSubmatch(p.lines[max(b.from-3, 0)])
		if m == nil {
			continue
		}
		file := filepath.Join(t.TempDir(), filepath.Base(m[1]))
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(p.lines[b.from:b.to], "\n")), 0o600))
		replace[filepath.Join(root(t), m[1])] = file
		family = filepath.Dir(m[1])
	}
	require.Len(t, replace, 2)
	if _, err := os.Stat(filepath.Join(root(t), family)); err != nil {
		return
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	run := exec.Command("go", "test", "-count=1", "-pgo=off", "-overlay", file, "-run", "^TestDelIfEq$", "-v", "./"+family)
	run.Dir = root(t)
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestDelIfEq", string(out))
}

// creates finds the sentence that names the file of the block below.
var creates = regexp.MustCompile("^Create `([^`]*)`:$")

var (
	ownFile = regexp.MustCompile(`(?:^|[ =])(?:\./)?((?:tests|docs|deploy|cmd|commands|store|resp|persistence|server|limiters|internal)/[\w./-]*\w)`)
	ownVar  = regexp.MustCompile(`\bCELLSERVER_[A-Z_]+=(?:"[^"]*"|\S*)`)
)

// otherPrograms have a name as an argument, or a folder, that ends like the program.
var otherPrograms = regexp.MustCompile(`docker|helm|publish-prepare`)

// checkShell checks what can be checked of shell commands without running them.
func (p *document) checkShell(t *testing.T, b block, text string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		skip(t, "no bash")
	}
	parse := exec.Command(bash, "-n")
	parse.Stdin = strings.NewReader(text + "\n")
	var complaint bytes.Buffer
	parse.Stderr = &complaint
	require.NoError(t, parse.Run(), "%s:%d: %s", p.path, b.from+1, complaint.String())
	for i, line := range p.lines[b.from:b.to] {
		at := fmt.Sprintf("%s:%d", p.path, b.from+i+1)
		line, _, _ = strings.Cut(line, " #")
		require.NotRegexp(t, `(^|\s)\./cellserver\b`, line, at+": pages call the program cellserver: it is in the PATH")
		for _, m := range ownFile.FindAllStringSubmatch(line, -1) {
			_, err := os.Stat(filepath.Join(root(t), m[1]))
			require.NoError(t, err, at)
		}
		environment := ownVar.FindAllString(line, -1)
		_, command, found := strings.Cut(" "+line, "cellserver ")
		if !found || otherPrograms.MatchString(line) {
			command = ""
		}
		words, err := quote.Split(command)
		require.NoError(t, err, at)
		words = slices.DeleteFunc(words, func(w string) bool { return w == "&" })
		if len(words) > 0 {
			switch strings.TrimPrefix(words[0], "--") {
			case "doctor", "cluster-check":
				words = withoutDoctor(words[min(2, len(words)):]) // directives follow the address
			case "ping", "help", "version", "check-config", "cluster-recover", "cluster-import", "import":
				words = words[1:]
			}
		}
		_, _, err = configload.Load(words, environment, func(string) ([]byte, error) { return nil, nil })
		require.NoError(t, err, at)
	}
}

// withoutDoctor removes the options of doctor itself, which are before the directives.
func withoutDoctor(words []string) []string {
	for len(words) > 0 {
		switch {
		case slices.Contains([]string{"--tls", "--insecure"}, words[0]):
			words = words[1:]
		case len(words) > 1 && slices.Contains([]string{"--user", "--cacert", "--cert", "--key"}, words[0]):
			words = words[2:]
		default:
			return words
		}
	}
	return words
}
