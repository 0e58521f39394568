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

const server = "cellserver/cmd/cellserver"

// TestNoticesAreCurrent makes the text from the module cache and compares it with the file.
func TestNoticesAreCurrent(t *testing.T) {
	var b strings.Builder
	// Some of the licences ask to say where the source code is.
	b.WriteString("cellserver contains the following modules. The source code of a module and of its version is at\n" +
		"https://proxy.golang.org/NAME/@v/VERSION.zip, and `go mod download NAME@VERSION` gets it.\n")
	write(t, &b, "the standard library of Go", strings.TrimSpace(output(t, "env", "GOROOT")))
	for _, line := range linked(t) {
		fields := strings.Fields(line)
		require.Len(t, fields, 3, line)
		write(t, &b, fields[0]+" "+fields[1], fields[2])
	}
	if *update {
		require.NoError(t, os.WriteFile("NOTICES.txt", []byte(b.String()), 0o644))
		return
	}
	require.Equal(t, b.String(), Text, "NOTICES.txt is out of date: go generate ./internal/notices")
}

// TestEveryLinkedModuleHasItsNotice asks the binary itself.
func TestEveryLinkedModuleHasItsNotice(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "cellserver")
	output(t, "build", "-o", binary, server)
	modules := 0
	for line := range strings.SplitSeq(output(t, "version", "-m", binary), "\n") {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "dep" {
			modules++
			require.Contains(t, Text, "\n"+fields[1]+" "+fields[2]+"\n", "go generate ./internal/notices")
		}
	}
	require.Positive(t, modules)
}

// linked returns the modules that the server imports on any of its systems: name, version and folder.
func linked(t *testing.T) (modules []string) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Setenv("GOOS", system)
		list := output(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", server)
		modules = append(modules, strings.FieldsFunc(list, func(r rune) bool { return r == '\n' })...)
	}
	t.Setenv("GOOS", "")
	slices.Sort(modules)
	return slices.Compact(modules)
}

// write adds the licence files of a folder.
func write(t *testing.T, b *strings.Builder, title, dir string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := 0
	fmt.Fprintf(b, "\n%s\n\n%s\n", strings.Repeat("=", 80), title)
	for _, entry := range entries {
		name := strings.ToUpper(strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name())))
		if !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, name) || entry.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		found++
	}
	require.Positive(t, found, "%s has no licence file", title)
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, args)
	return string(out)
}
