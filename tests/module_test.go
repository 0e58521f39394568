package tests

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A goPackage is one package of the module, without its tests, as the compiler sees it.
type goPackage struct {
	name  string // from the module's root, such as "persistence/aof"
	files []goFile
	types *types.Package
	info  *types.Info
	set   *token.FileSet
}

// A goFile is one file of a package, no test.
type goFile struct {
	path string // from the module's root, with slashes
	file *ast.File
	set  *token.FileSet
}

// lineCount counts the lines of the file.
func (f goFile) lineCount() int { return f.set.File(f.file.FileStart).LineCount() }

// position says where a node stands, in the form that an editor follows.
func (f goFile) position(n ast.Node) token.Position {
	at := f.set.Position(n.Pos())
	at.Filename = f.path
	return at
}

// lineCount counts the lines of the package.
func (p *goPackage) lineCount() (lines int) {
	for _, f := range p.files {
		lines += f.lineCount()
	}
	return lines
}

// compiled is what `go list -export` says about a package.
type compiled struct {
	ImportPath, Dir, Export string
	Standard                bool
	GoFiles                 []string
}

// loaded holds what the first call of typedPackages found.
var loaded struct {
	once     sync.Once
	packages []*goPackage
	err      error
}

// typedPackages parses and type-checks every package of the module that has a file which is no test, in the order of
// their names. Tests share the result and must not change it.
func typedPackages(t *testing.T) []*goPackage {
	t.Helper()
	loaded.once.Do(func() { loaded.packages, loaded.err = loadPackages(root(t)) })
	require.NoError(t, loaded.err)
	return loaded.packages
}

func loadPackages(top string) ([]*goPackage, error) {
	listed, err := listCompiled(top)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(listed[path].Export)
	})
	var all []*goPackage
	for path, c := range listed {
		name, own := strings.CutPrefix(path, module+"/")
		if !own || len(c.GoFiles) == 0 {
			continue
		}
		p, err := checkPackage(set, imports, name, c)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *goPackage) int { return strings.Compare(a.name, b.name) })
	if len(all) == 0 {
		err = errors.New("go list names no package of the module")
	}
	return all, err
}

// listCompiled lists the module's packages and all that they import, by import path.
func listCompiled(top string) (map[string]compiled, error) {
	list := exec.Command("go", "list", "-e", "-pgo=off", "-export", "-deps", "-json=ImportPath,Dir,Export,Standard,GoFiles", "./...")
	list.Dir = top
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	all := map[string]compiled{}
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var c compiled
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[c.ImportPath] = c
	}
}

func checkPackage(set *token.FileSet, imports types.Importer, name string, c compiled) (*goPackage, error) {
	p := &goPackage{name: name, set: set, info: &types.Info{
		Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{},
	}}
	var parsed []*ast.File
	for _, base := range c.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(c.Dir, base), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
		p.files = append(p.files, goFile{name + "/" + base, file, set})
	}
	var err error
	p.types, err = (&types.Config{Importer: imports}).Check(c.ImportPath, set, parsed, p.info)
	return p, err
}
