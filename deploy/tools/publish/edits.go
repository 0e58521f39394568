package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/pprof/profile"
	"golang.org/x/mod/modfile"
)

// A tree is a copy of the files that git knows.
type tree struct {
	top   string
	files []string // from the top, with slashes
}

// list finds the files.
func (t *tree) list(*names) error {
	out, err := output(t.top, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	t.files = strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	return err
}

func (t *tree) path(file string) string { return filepath.Join(t.top, file) }

func (t *tree) read(file string) (string, error) {
	text, err := os.ReadFile(t.path(file))
	return string(text), err
}

// write writes a file, and keeps its mode if it exists.
func (t *tree) write(file, text string) error { return os.WriteFile(t.path(file), []byte(text), 0o644) }

// isAny selects every file.
func isAny(string) bool { return true }

// rewrite changes every text file that `chosen` selects.
func (t *tree) rewrite(chosen func(file string) bool, change func(file, text string) (string, error)) error {
	for _, file := range t.files {
		if !chosen(file) {
			continue
		}
		text, err := t.read(file)
		if err != nil {
			return err
		}
		if !utf8.ValidString(text) {
			continue
		}
		changed, err := change(file, text)
		if err == nil && changed != text {
			err = t.write(file, changed)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// version finds the version in the source of the server, as deploy/build does.
var version = regexp.MustCompile(`(?m)^const Version = "(.*)"$`)

func (t *tree) readVersion(n *names) error {
	text, err := t.read("commands/version.go")
	if err != nil {
		return err
	}
	found := version.FindStringSubmatch(text)
	if found == nil {
		return fmt.Errorf("commands/version.go has no line %s", version)
	}
	n.Version = found[1]
	return nil
}

// renamed puts the new module path before what follows the old one.
func (n *names) renamed(path string) string { return n.Module + strings.TrimPrefix(path, oldModule) }

// isOurs reports whether a path is the old module or is inside of it.
func isOurs(path string) bool { return path == oldModule || strings.HasPrefix(path, oldModule+"/") }

func isModuleFile(file string) bool { return filepath.Base(file) == "go.mod" }

// editModules gives every go.mod its new path. A module that needs another one of ours needs this version.
func (t *tree) editModules(n *names) error {
	return t.rewrite(isModuleFile, func(file, text string) (string, error) {
		parsed, err := modfile.Parse(file, []byte(text), nil)
		if err != nil {
			return "", err
		}
		if !isOurs(parsed.Module.Mod.Path) {
			const says = "the module is %s: begin with a tree that has no names yet"
			return "", fmt.Errorf(says, parsed.Module.Mod.Path)
		}
		return n.moduleFile(parsed)
	})
}

// moduleFile changes one parsed go.mod.
func (n *names) moduleFile(parsed *modfile.File) (string, error) {
	if err := parsed.AddModuleStmt(n.renamed(parsed.Module.Mod.Path)); err != nil {
		return "", err
	}
	for _, required := range slices.Clone(parsed.Require) {
		if !isOurs(required.Mod.Path) {
			continue
		}
		parsed.AddNewRequire(n.renamed(required.Mod.Path), "v"+n.Version, required.Indirect)
		if err := parsed.DropRequire(required.Mod.Path); err != nil {
			return "", err
		}
	}
	for _, replaced := range slices.Clone(parsed.Replace) {
		if !isOurs(replaced.Old.Path) {
			continue
		}
		if err := parsed.AddReplace(n.renamed(replaced.Old.Path), "", replaced.New.Path, ""); err != nil {
			return "", err
		}
		if err := parsed.DropReplace(replaced.Old.Path, replaced.Old.Version); err != nil {
			return "", err
		}
	}
	parsed.Cleanup()
	text, err := parsed.Format()
	return string(text), err
}

// packagePath finds what may be the path of a package: the old module, and a folder of the tree.
var packagePath = regexp.MustCompile(`(^|[^\w./-])` + oldModule + `(/[\w./-]*\w)`)

// withoutPackagePaths rewrites the path of every package and module in a text, also in comments and commands.
func (t *tree) withoutPackagePaths(n *names, text string) string {
	return packagePath.ReplaceAllStringFunc(text, func(found string) string {
		parts := packagePath.FindStringSubmatch(found)
		if !t.hasGo(parts[2]) {
			return found
		}
		return parts[1] + n.Module + parts[2]
	})
}

// hasGo reports whether a folder has a package or a module.
func (t *tree) hasGo(folder string) bool {
	for _, pattern := range []string{"*.go", "go.mod"} {
		if found, _ := filepath.Glob(filepath.Join(t.top, folder, pattern)); len(found) > 0 {
			return true
		}
	}
	return false
}

// itself are the files of this program and its test. A tree with names needs them no more.
var itself = []string{"deploy/tools/publish", "deploy/publish-prepare", "tests/packages/publish_test.go"}

// removeItself removes the files of this program, which have the old names on purpose.
func (t *tree) removeItself(*names) error {
	_, err := output(t.top, "git", append([]string{"rm", "-r", "--quiet", "--"}, itself...)...)
	return err
}

func (t *tree) editPackagePaths(n *names) error {
	chosen := func(file string) bool { return !isModuleFile(file) }
	return t.rewrite(chosen, func(file, text string) (string, error) {
		changed := t.withoutPackagePaths(n, text)
		if changed == text || filepath.Ext(file) != ".go" {
			return changed, nil
		}
		formatted, err := format.Source([]byte(changed)) // a longer path may change the order of imports
		return string(formatted), err
	})
}

// profileFile tells the compiler which functions are busy, by their names.
const profileFile = "cmd/cellserver/default.pgo"

// functionPath finds the old module in the name of a function or of its file.
var functionPath = regexp.MustCompile(`(^|[^\w./-])` + oldModule + `/`)

// editProfile renames the functions of the profile. With the old names the compiler would find none of them.
func (t *tree) editProfile(n *names) error {
	data, err := os.ReadFile(t.path(profileFile))
	if err != nil {
		return err
	}
	p, err := profile.ParseData(data)
	if err != nil {
		return fmt.Errorf("%s: %w", profileFile, err)
	}
	rename := func(name *string) { *name = functionPath.ReplaceAllString(*name, "${1}"+n.Module+"/") }
	for _, f := range p.Function {
		rename(&f.Name)
		rename(&f.SystemName)
		rename(&f.Filename)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	return t.write(profileFile, b.String())
}
