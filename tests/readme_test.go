//go:build !race

package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// TestReadmeInAShell runs the commands of README.md that limit by curl. Only the ports are others, and it
// waits until the server answers instead of a second.
func TestReadmeInAShell(t *testing.T) {
	dir, web := t.TempDir(), strconv.Itoa(porttest.Free(t))
	program := filepath.Join(dir, "cellserver")
	out, err := exec.Command("go", "build", "-pgo=off", "-o", program, buildtest.Server).CombinedOutput()
	require.NoError(t, err, string(out))
	page := readDocument(t, "README.md")
	var commands string
	for _, b := range page.blocks(t) {
		text := strings.Join(page.lines[b.from:b.to], "\n")
		if b.language == "sh" && strings.Contains(text, "rules.yaml") {
			commands = text
		}
	}
	others := []string{
		"6380", strconv.Itoa(porttest.Free(t)),
		"7380", web,
		"sleep 1", "until curl -sfo ready http://127.0.0.1:" + web + "/readyz; do sleep 0.05; done",
	}
	for i := 0; i < len(others); i += 2 {
		require.Contains(t, commands, others[i])
	}
	// All at once: a port may have the digits of another one.
	commands = strings.NewReplacer(others...).Replace(commands)
	shell := exec.Command("timeout", "60", "bash", "-ec", "trap 'kill $(jobs -p)' EXIT\n"+commands)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	printed, err := shell.CombinedOutput()
	require.NoError(t, err, string(printed))
	require.Equal(t, strings.Repeat("200\n", 5)+"429\n", statusesOf(string(printed)), string(printed))
}

// statusesOf returns the lines that are a status, without what the server prints.
func statusesOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) == len("200\n") {
			b.WriteString(line)
		}
	}
	return b.String()
}
