//go:build !race

package tests

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The bounds on a package. Tests do not count.
const (
	maxPackageLines = 3500
	maxPackageFiles = 45
	maxFloors       = 5    // the longest chain of files in which each uses the next one
	maxCircleLines  = 1400 // the largest circle of files that use each other
	maxFields       = 12   // of a struct
)

// A shape has the numbers of a package that have bounds.
type shape struct {
	lines, files, floors, circle int
	fields                       int // of the widest struct that is no row of a table
	noDoc                        int // 1 without doc.go, or if doc.go leaves out files, invariants or locks
	riddles, long                int // riddles and long sentences in names and comments
}

// within is the shape that a package has at most, unless notYet allows it more.
var within = shape{
	lines: maxPackageLines, files: maxPackageFiles, floors: maxFloors, circle: maxCircleLines, fields: maxFields,
}

// bounds lists the numbers of a shape, each with its name in notYet and the advice for a package over the bound.
var bounds = []struct {
	name   string
	of     func(*shape) *int
	advice string
}{
	{"lines", func(s *shape) *int { return &s.lines }, "split the package"},
	{"files", func(s *shape) *int { return &s.files }, "split the package"},
	{"floors", func(s *shape) *int { return &s.floors }, "shorten the chain of files that use each other, or move its lower end into a package of its own"},
	{"circle", func(s *shape) *int { return &s.circle }, "let files use each other one way only"},
	{"fields", func(s *shape) *int { return &s.fields }, "make the struct of parts, each with its own file"},
	{"noDoc", func(s *shape) *int { return &s.noDoc }, `write doc.go: "Package x …", the way through the files, the invariants, and the locks or "no locks"`},
	{"riddles", func(s *shape) *int { return &s.riddles }, "use the plain words"},
	{"long", func(s *shape) *int { return &s.long }, fmt.Sprintf("split sentences of more than %d words", maxSentence)},
}

// shape measures a package. It also says where each number comes from, by the number's name.
func (p *goPackage) shape() (s shape, where map[string][]string) {
	l := p.layout()
	s = shape{lines: p.lineCount(), files: len(p.files), floors: len(l.chain), circle: l.circleLines}
	where = map[string][]string{"floors": l.chain, "circle": l.circle}
	for _, f := range p.files {
		for spec, n := range f.structs() {
			if p.hasFewFields(spec) && n > s.fields {
				s.fields, where["fields"] = n, []string{fmt.Sprintf("%s: %s", f.position(spec), spec.Name.Name)}
			}
		}
	}
	if missing := p.missingDoc(); missing != "" {
		s.noDoc, where["noDoc"] = 1, []string{missing}
	}
	where["riddles"], where["long"] = p.riddles(), p.longSentences()
	s.riddles, s.long = len(where["riddles"]), len(where["long"])
	return s, where
}

// structs counts the fields of each struct type that a file declares. An embedded part counts as one field, a blank field
// as none.
func (f goFile) structs() map[*ast.TypeSpec]int {
	all := map[*ast.TypeSpec]int{}
	ast.Inspect(f.file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range of.Fields.List {
				all[spec] += max(1, len(field.Names))
				for _, name := range field.Names {
					if name.Name == "_" {
						all[spec]--
					}
				}
			}
		}
		return true
	})
	return all
}

// rows are the structs that are rows of a table, settings or figures that somebody reads, each with its reason. Their
// fields are columns, and have no bound.
var rows = map[string]string{
	"commands.Command":          "a command fills in the columns that it needs; parts would make each of the 140 rows longer",
	"internal/config.Config":    "a directive is a field",
	"internal/config.Cluster":   "a directive is a field",
	"internal/config.Directive": "a row of the table of directives",
	"internal/topology.Metrics": "a metric is a field",
	"cluster/roster.State":      "a figure for a person on call is a field",
	"cluster/roster.NodeState":  "a figure for a person on call is a field",
	"cluster/group.Options":     "what the edge provides is a field",
	"cluster.Options":           "what the edge provides is a field",
	"persistence.Settings":      "a directive is a field",
}

// hasFewFields reports whether a struct is one that may not grow into the place where all state goes.
func (p *goPackage) hasFewFields(spec *ast.TypeSpec) bool {
	return rows[p.name+"."+spec.Name.Name] == "" && !strings.HasPrefix(p.name, "tests") && !strings.HasSuffix(p.name, "test")
}

var (
	// speaksOfLocks finds "lock", "locks" and "locked", but neither "clock" nor "block".
	speaksOfLocks = regexp.MustCompile(`(?i)\b(un)?lock`)

	speaksOfInvariants = regexp.MustCompile(`\bInvariants?\b|# Guarantees\n`)
	namedFile          = regexp.MustCompile(`[\w*…]+\.go\b`) // or several: "rows_*.go"
)

// missingDoc says what is wrong with the package comment, and "" if nothing is.
func (p *goPackage) missingDoc() string {
	for _, f := range p.files {
		if path.Base(f.path) != "doc.go" {
			continue
		}
		text := f.file.Doc.Text()
		first := "Package " + p.types.Name() + " "
		if p.types.Name() == "main" {
			first = "Command " + path.Base(p.name) + " "
		}
		switch {
		case !strings.HasPrefix(text, first):
			return fmt.Sprintf("%s does not begin with %q", f.path, first)
		case !speaksOfLocks.MatchString(text):
			return f.path + " does not speak of locks"
		case !speaksOfInvariants.MatchString(text):
			return f.path + " names no invariant"
		}
		if missing := p.unnamedFiles(text); len(missing) > 0 {
			return fmt.Sprintf("%s does not say what is in %q", f.path, missing)
		}
		return ""
	}
	return p.name + " has no doc.go"
}

// unnamedFiles lists the files of a package that its comment does not name. A package with one file beside doc.go needs no
// list, and a file that registers a command has the command's name.
func (p *goPackage) unnamedFiles(comment string) (all []string) {
	named := namedFile.FindAllString(strings.ReplaceAll(comment, "…", "*"), -1)
	for _, f := range p.files {
		base := path.Base(f.path)
		isNamed := slices.ContainsFunc(named, func(pattern string) bool {
			ok, err := path.Match(pattern, base)
			return ok && err == nil
		})
		if base != "doc.go" && !isNamed && len(p.files) > 2 && !f.registersCommand() {
			all = append(all, base)
		}
	}
	return all
}

// registersCommand reports whether a file declares a command and registers it: var _ = commands.Register(…).
func (f goFile) registersCommand() (yes bool) {
	ast.Inspect(f.file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		yes = yes || ok && selector.Sel.Name == "Register"
		return !yes
	})
	return yes
}

// TestPackagesKeepTheirShape holds every package to the bounds, or to what notYet still allows it. Use
//
//	go test ./tests -run TestPackagesKeepTheirShape -v
//
// to see the shape of every package, as a line for notYet.
func TestPackagesKeepTheirShape(t *testing.T) {
	names, structs := map[string]bool{}, map[string]bool{}
	for _, p := range typedPackages(t) {
		names[p.name] = true
		for _, f := range p.files {
			for spec := range f.structs() {
				structs[p.name+"."+spec.Name.Name] = true
			}
		}
		measured, where := p.shape()
		t.Log(measured.line(p.name))
		excess := notYet[p.name]
		for _, b := range bounds {
			n, bound, allowed := *b.of(&measured), *b.of(&within), *b.of(&excess)
			switch {
			case n > max(bound, allowed):
				t.Errorf("%s: %s is %d, more than %d: %s%s", p.name, b.name, n, max(bound, allowed), b.advice, indented(where[b.name]))
			case allowed > 0 && n <= bound:
				t.Errorf("%s: %s is %d, which is within the bound: delete the exception from notYet", p.name, b.name, n)
			}
		}
	}
	for name := range notYet {
		require.True(t, names[name], "notYet names %s, and there is no such package: delete its line", name)
	}
	for row := range rows {
		require.True(t, structs[row], "rows names %s, and there is no such struct: delete its line", row)
	}
}

// indented writes findings below a message, the first ones if there are many.
func indented(findings []string) string {
	const most = 30
	var b strings.Builder
	for i, finding := range findings {
		if i == most {
			fmt.Fprintf(&b, "\n\tand %d more", len(findings)-most)
			break
		}
		b.WriteString("\n\t" + finding)
	}
	return b.String()
}

// line writes the numbers over their bounds as a line of notYet; the other numbers follow as a comment.
func (s shape) line(name string) string {
	var over, others []string
	for _, b := range bounds {
		if n := *b.of(&s); n > *b.of(&within) {
			over = append(over, fmt.Sprintf("%s: %d", b.name, n))
		} else {
			others = append(others, fmt.Sprintf("%s %d", b.name, n))
		}
	}
	return fmt.Sprintf("%q: {%s}, // %s", name, strings.Join(over, ", "), strings.Join(others, ", "))
}

// TestNoPackageHasTwoPackageComments keeps the comment of a package in doc.go.
func TestNoPackageHasTwoPackageComments(t *testing.T) {
	for _, p := range typedPackages(t) {
		for _, f := range p.files {
			if f.file.Doc != nil && path.Base(f.path) != "doc.go" && notYet[p.name].noDoc == 0 {
				t.Errorf("%s: move the package comment to doc.go", f.path)
			}
		}
	}
}

// TestArrowsRunDown sorts the packages of mayImport into layers, and its top folders too. A package imports from lower
// layers only; two top folders do not import each other, not even by way of a third.
func TestArrowsRunDown(t *testing.T) {
	requireLayers(t, "package", mayImport)
	folders := map[string][]string{}
	for name, imports := range mayImport {
		from, _, _ := strings.Cut(name, "/")
		folders[from] = append(folders[from], []string{}...)
		for _, imported := range imports {
			if to, _, _ := strings.Cut(imported, "/"); to != from && !slices.Contains(folders[from], to) {
				folders[from] = append(folders[from], to)
			}
		}
	}
	requireLayers(t, "folder", folders)
}

// requireLayers fails if arrows make a circle, and logs the layers from the lowest one.
func requireLayers(t *testing.T, kind string, arrows map[string][]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(arrows))
	graph := make([][]int, len(names))
	for i, name := range names {
		for _, to := range arrows[name] {
			graph[i] = append(graph[i], slices.Index(names, to))
		}
	}
	layer := make([]int, len(names))
	var layers [][]string
	for _, group := range circles(graph) {
		node := group[0]
		for _, to := range graph[node] {
			layer[node] = max(layer[node], layer[to]+1)
		}
		if layer[node] == len(layers) {
			layers = append(layers, nil)
		}
		layers[layer[node]] = append(layers[layer[node]], names[node])
		if len(group) > 1 {
			var circle []string
			for _, node := range group {
				circle = append(circle, names[node])
			}
			t.Errorf("each %s of %q imports another one in a circle: turn one of the arrows", kind, circle)
			return
		}
	}
	for i, on := range layers {
		slices.Sort(on)
		t.Logf("%s layer %d: %s", kind, i, strings.Join(on, " "))
	}
}

// exampleFile parses source text as the only file of a package.
func exampleFile(t *testing.T, set *token.FileSet, text string) goFile {
	t.Helper()
	file, err := parseText(set, text)
	require.NoError(t, err)
	return goFile{"x/x.go", file, set}
}

func TestStructsCountTheirFields(t *testing.T) {
	f := exampleFile(t, token.NewFileSet(), "package x\n\ntype part struct{ a, b int }\n\ntype Client struct {\n\tpart\n\tc, d int\n\t_ int\n}\n")
	counts := map[string]int{}
	for spec, n := range f.structs() {
		counts[spec.Name.Name] = n
	}
	require.Equal(t, map[string]int{"part": 2, "Client": 3}, counts)
}
