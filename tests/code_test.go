//go:build !race

package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Bounds on the lines of one file and of one function. mostFunctions holds for nine functions of ten.
const (
	maxFileLines     = 400
	maxFunctionLines = 60
	mostFunctions    = 25
	maxColumns       = 110 // of 99 lines of 100; a tab is four columns
)

// A source is one Go file of the server. Tests, tests/ and other modules do not belong to it.
type source struct {
	path string // from the module's root, with slashes
	file *ast.File
	set  *token.FileSet
}

// line returns the position of a node, in the form that an editor follows.
func (s source) line(n ast.Node) token.Position {
	at := s.set.Position(n.Pos())
	at.Filename = s.path
	return at
}

// lines counts the lines of a node.
func (s source) lines(n ast.Node) int {
	return s.set.Position(n.End()).Line - s.set.Position(n.Pos()).Line + 1
}

// sources parses the server's own files, and those of the module envoy, which has the same rules.
func sources(t *testing.T) []source {
	t.Helper()
	top := root(t)
	var all []source
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path == filepath.Join(top, "tests") || name == "testdata" || name == "node_modules" || path != top && path != filepath.Join(top, "envoy") && (strings.HasPrefix(name, ".") || isModule(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		all = append(all, source{filepath.ToSlash(rel), file, set})
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// isModule reports whether a folder is the top of a module.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// edge finds the files that may read the clock. A store of envoy reads it for a caller that gives none. pausetest measures
// the machine.
var edge = regexp.MustCompile(`^(envoy/)?cmd/|^envoy/backend/|^internal/pausetest/`)

func TestOnlyTheEdgeReadsTheClock(t *testing.T) {
	for _, s := range sources(t) {
		if edge.MatchString(s.path) || ast.IsGenerated(s.file) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if name, ok := clockRead(n); ok {
				t.Errorf("%s: time.%s below the edge: take now as an argument, so that a test can move the clock, and a replay of the log gives the same state", s.line(n), name)
			}
			return true
		})
	}
}

// clockRead reports whether a node names a function of package time that reads the wall clock.
func clockRead(n ast.Node) (name string, ok bool) {
	selector, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	from, ok := selector.X.(*ast.Ident)
	if !ok || from.Name != "time" {
		return "", false
	}
	switch name = selector.Sel.Name; name {
	case "Now", "Since", "Until":
		return name, true
	}
	return "", false
}

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		if lines := s.set.File(s.file.Pos()).LineCount(); lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d: split it into two files", s.path, lines, maxFileLines)
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Body != nil && s.lines(f) > maxFunctionLines && !isTable(f) {
				t.Errorf("%s: %s has %d lines, more than %d: give its steps names (only a table may be long)",
					s.line(f), f.Name.Name, s.lines(f), maxFunctionLines)
			}
		}
	}
}

func TestMostFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				lengths = append(lengths, s.lines(f))
			}
		}
	}
	slices.Sort(lengths)
	require.LessOrEqual(t, lengths[len(lengths)*9/10], mostFunctions, "more than a tenth of all functions is longer: give their steps names")
}

// isTable reports whether a function is a table: it contains only calls that register something, and literals that it
// assigns or returns. A reader reads a table line by line, so it may be long.
func isTable(f *ast.FuncDecl) bool {
	for _, statement := range f.Body.List {
		switch s := statement.(type) {
		case *ast.ExprStmt:
		case *ast.AssignStmt:
			if !areLiterals(s.Rhs) {
				return false
			}
		case *ast.ReturnStmt:
			if !areLiterals(s.Results) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// areLiterals reports whether every expression is a composite literal, or the address of one.
func areLiterals(all []ast.Expr) bool {
	for _, x := range all {
		if address, ok := x.(*ast.UnaryExpr); ok {
			x = address.X
		}
		if _, ok := x.(*ast.CompositeLit); !ok {
			return false
		}
	}
	return true
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		for _, decl := range s.file.Decls {
			for _, name := range undocumented(decl) {
				t.Errorf("%s: exported %s has no doc comment: say what it guarantees, its units and its errors", s.line(name), name.Name)
			}
		}
	}
}

// TestMutexesSayWhatTheyGuard requires a comment at each mutex of a struct or a package. An embedded mutex is a lock of its
// own type, which has a comment.
func TestMutexesSayWhatTheyGuard(t *testing.T) {
	mutexes := 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			var of ast.Expr
			var names []*ast.Ident
			comments := ""
			switch n := n.(type) {
			case *ast.Field:
				of, names, comments = n.Type, n.Names, n.Doc.Text()+n.Comment.Text()
			case *ast.ValueSpec:
				of, names, comments = n.Type, n.Names, n.Doc.Text()+n.Comment.Text()
			}
			if len(names) > 0 && isMutex(of) {
				mutexes++
				if comments == "" {
					t.Errorf("%s: the mutex %s has no comment: say what it guards, and what else is taken inside it", s.line(n), names[0].Name)
				}
			}
			return true
		})
	}
	require.NotZero(t, mutexes)
}

// isMutex reports whether a type is sync.Mutex or sync.RWMutex.
func isMutex(of ast.Expr) bool {
	selector, ok := of.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && from.Name == "sync" && (selector.Sel.Name == "Mutex" || selector.Sel.Name == "RWMutex")
}

// undocumented returns the exported names of a declaration without a comment. A comment of a group of constants,
// variables or types counts for all names of the group. A method of an unexported type needs no comment.
func undocumented(decl ast.Decl) []*ast.Ident {
	var names []*ast.Ident
	add := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		for _, doc := range docs {
			if strings.TrimSpace(doc.Text()) != "" {
				return
			}
		}
		if name.IsExported() {
			names = append(names, name)
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiver(d).IsExported() {
			add(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name, s.Doc, s.Comment, d.Doc)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					add(name, s.Doc, s.Comment, d.Doc)
				}
			}
		}
	}
	return names
}

// receiver returns the name of a method's type, without pointers and type parameters.
func receiver(f *ast.FuncDecl) *ast.Ident {
	for x := f.Recv.List[0].Type; ; {
		switch of := x.(type) {
		case *ast.StarExpr:
			x = of.X
		case *ast.IndexExpr:
			x = of.X
		case *ast.IndexListExpr:
			x = of.X
		case *ast.ParenExpr:
			x = of.X
		case *ast.Ident:
			return of
		}
	}
}

// TestLinesFitThePage: 99 of 100 lines of the server's code have at most maxColumns columns.
func TestLinesFitThePage(t *testing.T) {
	lines, wide := 0, 0
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join(root(t), s.path))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			lines++
			if utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")) > maxColumns {
				wide++
			}
		}
	}
	require.LessOrEqual(t, 100*wide, lines, "%d lines of %d have more than %d columns", wide, lines, maxColumns)
}

// TestOperatingQuotesLogLines requires that each log line of docs/operating.md is one of the server.
func TestOperatingQuotesLogLines(t *testing.T) {
	var code strings.Builder
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join(root(t), s.path))
		require.NoError(t, err)
		code.Write(text)
	}
	lines := firstColumn(readDocument(t, "docs/operating.md").section(t, "## Log lines"))
	require.Greater(t, len(lines), 5)
	for _, line := range lines {
		require.True(t, strings.Contains(code.String(), `"`+line), "docs/operating.md quotes a log line that the server does not write: %s", line)
	}
}
