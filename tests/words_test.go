//go:build !race

package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// maxSentence is how many words a sentence may have.
const maxSentence = 25

// A riddle is a way of writing that a reader must read twice, and the plain way.
type riddle struct {
	pattern *regexp.Regexp
	plain   string
}

func banned(pattern, plain string) riddle {
	return riddle{regexp.MustCompile(`(?i)\b(?:` + pattern + `)`), plain}
}

// bannedNames are words that no identifier has as a part. The plain word is the one that the field uses.
var bannedNames = map[string]string{
	"foresee": "prefetch", "foreseen": "prefetched", "foresight": "prefetch",
	"chart": "segment map", "charted": "segment map", "charts": "segment maps",
	"tear": "torn tail", "tears": "torn tails",
	"aside": "offload", "apart": "offload, or separate",
	"restless": "busy", "untold": "dirty, or pending",
	"lapse": "expire", "lapsed": "expired", "lapses": "expires",
	"home": "directory", "ahead": "skew, or prefetch",
	"whoever": "the caller's role", "befall": "affect",
}

// bannedProse are ways of writing that no comment and no page has.
var bannedProse = []riddle{
	banned(`fores(ee|ees|een|aw|ight)\b`, "prefetch"),
	banned(`chart(s|ed)?\b`, "segment map"),
	banned(`(tear|tears|tore)\b`, "torn tail"),
	banned(`aside\b`, "offload, or another goroutine"),
	banned(`apart\b`, "separately, or name the distance"),
	banned(`restless\b`, "busy"),
	banned(`untold\b`, "dirty, or pending"),
	banned(`lapse[sd]?\b`, "expire"),
	banned(`who(m)?ever\b`, "name the reader, the caller or the client"),
	banned(`unasked\b`, "say who does it, and when"),
	banned(`befalls?\b`, "affect"),
	banned(`anew\b`, "again, or rewrite"),
	banned(`(hence|thence|thereby|whereupon|lest|henceforth)\b`, "so, then, from then on"),
	banned(`(is|are|was|were|be|been) over([.,;:)]|$| (and|or|by|at|before|now|when|if|while|since|until)\b)`, "expired, ended"),
	banned(`looked at\b`, "say who examines, or reads"),
	banned(`comes? here\b`, "say who calls it"),
	banned(`(has|have|had) none\b`, `"if there is no …"`),
	banned(`only says?\b`, "say what it means"),
	banned(`takes? no \w+ along\b`, "say what stays"),
	banned(`(is|are) no (directive|integer|number|string|error|request|command|member|key|client)\b`, `"is not a …"`),
}

// opensAsRiddle finds a statement that begins with the word of a question, which makes its subject a clause.
var opensAsRiddle = regexp.MustCompile(`^(What|Who|Whoever|Whatever|Whose|Of what|Of whom)\b[^?]*$`)

// seamHeading matches the three headings of a paragraph about code that exists for speed alone.
var seamHeading = regexp.MustCompile(`^What it (is|brings|must never do):`)

// riddlesIn lists the riddles of a paragraph. Quoted text and code may say anything.
func riddlesIn(text string) (found []string) {
	text = withoutQuotes(text)
	for _, r := range bannedProse {
		for _, at := range r.pattern.FindAllString(text, -1) {
			found = append(found, fmt.Sprintf("%q: %s", at, r.plain))
		}
	}
	for _, sentence := range sentences(text) {
		if opensAsRiddle.MatchString(sentence) && !seamHeading.MatchString(sentence) {
			found = append(found, fmt.Sprintf("%.60q: begin with the subject", sentence))
		}
	}
	return found
}

// riddles lists the riddles in the comments of a package and in the identifiers that it declares.
func (p *goPackage) riddles() (all []string) {
	for _, f := range p.files {
		if ast.IsGenerated(f.file) {
			continue
		}
		for _, group := range f.file.Comments {
			for _, text := range paragraphs(group.Text()) {
				for _, found := range riddlesIn(text) {
					all = append(all, fmt.Sprintf("%s: %s", f.position(group), found))
				}
			}
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if !ok || p.info.Defs[name] == nil {
				return true
			}
			for _, word := range nameWords(name.Name) {
				if plain, ok := bannedNames[word]; ok {
					all = append(all, fmt.Sprintf("%s: the name %s: %s", f.position(name), name.Name, plain))
				}
			}
			return true
		})
	}
	return all
}

// longSentences lists the sentences of comments that have too many words.
func (p *goPackage) longSentences() (all []string) {
	for _, f := range p.files {
		if ast.IsGenerated(f.file) {
			continue
		}
		for _, group := range f.file.Comments {
			for _, text := range paragraphs(group.Text()) {
				for _, found := range tooLong(text) {
					all = append(all, fmt.Sprintf("%s: %s", f.position(group), found))
				}
			}
		}
	}
	return all
}

// nameWords splits an identifier into words: "tornTailAt" into torn, tail and at.
func nameWords(name string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	for _, r := range name {
		if !unicode.IsLetter(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]) {
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// paragraphs gives the prose of a comment, each paragraph and each item of a list in one line. Indented text is code.
func paragraphs(comment string) (all []string) {
	var lines []string
	end := func() {
		if len(lines) > 0 {
			all = append(all, strings.Join(lines, " "))
		}
		lines = nil
	}
	for line := range strings.Lines(comment) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimSpace(line)
		switch {
		case text == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "    "):
			end()
			continue
		case isItem(text):
			end()
		}
		lines = append(lines, text)
	}
	end()
	return all
}

var item = regexp.MustCompile(`^([-*•]|\d+[.)]) `)

func isItem(line string) bool { return item.MatchString(line) }

var (
	quoted      = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")
	sentenceEnd = regexp.MustCompile(`[.?!…]["')*]*\s+\S`)
)

// withoutQuotes replaces each quoted text and each piece of code by one word.
func withoutQuotes(text string) string { return quoted.ReplaceAllString(text, "Code") }

var abbreviation = regexp.MustCompile(`\b(e\.g|i\.e|etc|cf|vs)\.`)

// sentences splits a paragraph, without its quotes. A sentence may begin with a name in lower case.
func sentences(text string) (all []string) {
	text = abbreviation.ReplaceAllString(withoutQuotes(text), "$1")
	for {
		at := sentenceEnd.FindStringIndex(text)
		if at == nil {
			return append(all, strings.TrimSpace(text))
		}
		gap := at[0] + strings.IndexFunc(text[at[0]:], unicode.IsSpace)
		all = append(all, strings.TrimSpace(text[:gap]))
		text = strings.TrimSpace(text[gap:])
	}
}

// tooLong lists the sentences of a paragraph that have more than maxSentence words. In a command's syntax the optional
// words, which stand in brackets, do not count.
func tooLong(text string) (found []string) {
	for _, sentence := range sentences(text) {
		n := 0
		for _, word := range strings.Fields(sentence) {
			hasLetter := strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
			if hasLetter && !strings.HasPrefix(word, "[") && !strings.HasSuffix(word, "]") {
				n++
			}
		}
		if n > maxSentence {
			found = append(found, fmt.Sprintf("%d words: %.100s", n, sentence))
		}
	}
	return found
}

// A page is a text for people, in Markdown.
type page struct {
	path  string   // from the module's root
	prose []string // paragraphs and items
	other []string // headings and rows of tables
}

var link = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// parsePage takes code, HTML and the targets of links out of a page.
func parsePage(path, text string) page {
	p := page{path: path}
	fenced := false
	var prose strings.Builder
	for line := range strings.Lines(link.ReplaceAllString(text, "$1")) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
			text = ""
		}
		switch {
		case fenced, strings.HasPrefix(text, "<"), strings.HasPrefix(line, "    ") && !isItem(text):
			text = ""
		case strings.HasPrefix(text, "|"), strings.HasPrefix(text, "#"):
			p.other = append(p.other, text)
			text = ""
		}
		prose.WriteString(text + "\n")
	}
	p.prose = paragraphs(prose.String())
	return p
}

// pages reads README.md, the pages of docs/, of tests/ and of clients/.
func pages(t *testing.T) (all []page) {
	t.Helper()
	top := root(t)
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "tests/*/*.md", "clients/*.md", "clients/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			rel, err := filepath.Rel(top, path)
			require.NoError(t, err)
			all = append(all, parsePage(filepath.ToSlash(rel), string(text)))
		}
	}
	require.NotEmpty(t, all)
	return all
}

// TestPagesArePlain holds every page to short sentences without riddles, or to what notYetPages still allows it.
func TestPagesArePlain(t *testing.T) {
	names := map[string]bool{}
	for _, p := range pages(t) {
		names[p.path] = true
		var riddles, long []string
		for _, text := range slices.Concat(p.prose, p.other) {
			riddles = append(riddles, riddlesIn(text)...)
		}
		for _, text := range p.prose {
			long = append(long, tooLong(text)...)
		}
		t.Logf("%q: {riddles: %d, long: %d},", p.path, len(riddles), len(long))
		allowed := notYetPages[p.path]
		if len(riddles) > allowed.riddles {
			t.Errorf("%s has riddles, more than %d:%s", p.path, allowed.riddles, indented(riddles))
		}
		if len(long) > allowed.long {
			t.Errorf("%s has sentences of more than %d words, more than %d:%s", p.path, maxSentence, allowed.long, indented(long))
		}
		if allowed.riddles > 0 && len(riddles) == 0 || allowed.long > 0 && len(long) == 0 {
			t.Errorf("%s needs an exception no longer: delete it from notYetPages", p.path)
		}
	}
	for name := range notYetPages {
		require.True(t, names[name], "notYetPages names %s, and there is no such page: delete its line", name)
	}
}

func TestRiddlesAreFound(t *testing.T) {
	for text, riddles := range map[string]int{
		"The server expires a key at each step.":              0,
		"What is expired unasked is asked for at each step.":  2,
		"What does SIGTERM do? The server stops.":             0,
		"A key that is over.":                                 1,
		"The server is over maxmemory.":                       0,
		"The server elapsed, collapsed and torn.":             0,
		"A call that has none does not come here.":            2,
		"`What` is a name. \"Whoever is over.\"":              0,
		"Foreseen keys. Whoever waits, takes no lock along.":  4,
		"With a single partition it is not looked at, aside.": 2,
	} {
		require.Len(t, riddlesIn(text), riddles, "%s: %q", text, riddlesIn(text))
	}
	require.Equal(t, []string{"torn", "tail", "at"}, nameWords("tornTailAt"))
	require.Equal(t, []string{"acl", "v", "x"}, nameWords("ACL_v2X"))
}

func TestSentencesAreCounted(t *testing.T) {
	require.Equal(t, []string{"One.", "Two (Redis 7.0.1, e.g this).", "Three?", "name.go is four.", "Code five"},
		sentences("One. Two (Redis 7.0.1, e.g. this). Three? name.go is four. `a. B` five"))
	require.Empty(t, tooLong(strings.Repeat("word ", maxSentence)+"– …"))
	require.Len(t, tooLong(strings.Repeat("word ", maxSentence+1)), 1)
	require.Empty(t, tooLong(strings.Repeat("word ", maxSentence)+"[quantity [MS] [PEEK]]"))
	require.Empty(t, tooLong("`"+strings.Repeat("word ", maxSentence+1)+"`"))
	p := parsePage("x.md", "# Head\n\nA [link](to/it)\ngoes on.\n- item\n\n    code\n\n```\nfence\n```\n| a | row |\n<p>\n")
	require.Equal(t, []string{"A link goes on.", "- item"}, p.prose)
	require.Equal(t, []string{"# Head", "| a | row |"}, p.other)
}

func parseText(set *token.FileSet, text string) (*ast.File, error) {
	return parser.ParseFile(set, "x.go", text, parser.ParseComments|parser.SkipObjectResolution)
}
