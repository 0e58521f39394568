package notices

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write NOTICES.txt instead of comparing it")

// A program has its list of licences in a file.
type program struct {
	module   string // the folder of its module
	packages string // what its image is built from
	tags     string
	file     string
}

var programs = []program{
	{module: ".", packages: "cellserver/cmd/cellserver", file: "NOTICES.txt"},
	{
		module: "../../envoy", packages: "cellserver/envoy/cmd/cellserver-envoy", tags: "grpcnotrace",
		file: "../../envoy/NOTICES.txt",
	},
}

// TestNoticesAreCurrent makes each text from the module cache and compares it with the file.
func TestNoticesAreCurrent(t *testing.T) {
	for _, p := range programs {
		made := p.notices(t)
		if *update {
			require.NoError(t, os.WriteFile(p.file, []byte(made), 0o644))
			continue
		}
		text, err := os.ReadFile(p.file)
		require.NoError(t, err)
		require.Equal(t, made, string(text), "%s is out of date: go generate ./internal/notices", p.file)
	}
}

// TestEveryLinkedModuleHasItsNotice asks the binaries themselves.
func TestEveryLinkedModuleHasItsNotice(t *testing.T) {
	for _, p := range programs {
		text, err := os.ReadFile(p.file)
		require.NoError(t, err)
		binary := filepath.Join(t.TempDir(), "program")
		output(t, "-C", p.module, "build", "-tags", p.tags, "-o", binary, p.packages)
		modules := 0
		for line := range strings.SplitSeq(output(t, "version", "-m", binary), "\n") {
			// A module of this tree has no sum.
			if fields := strings.Fields(line); len(fields) == 4 && fields[0] == "dep" {
				modules++
				require.Contains(t, string(text), "\n"+fields[1]+" "+fields[2]+"\n", "go generate ./internal/notices")
			}
		}
		require.Positive(t, modules)
	}
}

// notices returns the licences of all modules of a program. A licence of several modules stands there once.
func (p program) notices(t *testing.T) string {
	licences, modules := []string{}, map[string][]string{}
	add := func(title, dir string) {
		text := licenceIn(t, title, dir)
		if len(modules[text]) == 0 {
			licences = append(licences, text)
		}
		modules[text] = append(modules[text], title)
	}
	add("the standard library of Go", strings.TrimSpace(output(t, "env", "GOROOT")))
	for _, line := range p.linked(t) {
		fields := strings.Fields(line)
		require.Len(t, fields, 3, line)
		add(fields[0]+" "+fields[1], fields[2])
	}
	var b strings.Builder
	// Some of the licences ask to say where the source code is.
	b.WriteString("This program contains the following modules. The source code of a module and of its version is at\n" +
		"https://proxy.golang.org/NAME/@v/VERSION.zip, and `go mod download NAME@VERSION` gets it.\n")
	for _, text := range licences {
		fmt.Fprintf(&b, "\n%s\n\n%s\n%s", strings.Repeat("=", 80), strings.Join(modules[text], "\n"), text)
	}
	return b.String()
}

// linked returns the modules that the program imports on any of its systems: name, version and folder.
func (p program) linked(t *testing.T) (modules []string) {
	const format = "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}"
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Setenv("GOOS", system)
		list := output(t, "-C", p.module, "list", "-deps", "-tags", p.tags, "-f", format, p.packages)
		modules = append(modules, strings.FieldsFunc(list, func(r rune) bool { return r == '\n' })...)
	}
	t.Setenv("GOOS", "")
	slices.Sort(modules)
	return slices.Compact(modules)
}

// licenceIn returns the texts of the licence files of a folder.
func licenceIn(t *testing.T, title, dir string) string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var b strings.Builder
	for _, entry := range entries {
		name := strings.ToUpper(strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name())))
		if !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, name) || entry.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	require.NotEmpty(t, b.String(), "%s has no licence file", title)
	return b.String()
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, args)
	return string(out)
}
