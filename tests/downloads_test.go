//go:build !race

package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// downloads matches a line of a script that asks a mirror.
var downloads = regexp.MustCompile(`pip" (install|download) --quiet (--no-deps )?-r|npm ci|mvn -|cargo build|apt-get -q|mod download`)

// TestDownloadsAreTriedTwice: a mirror that fails once refuses no change. What is missing is missing twice.
func TestDownloadsAreTriedTwice(t *testing.T) {
	found := 0
	for _, script := range []string{"run", "clients/install", "middleware", "../envoy/realtest/fetch"} {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if downloads.MatchString(line) {
				found++
				require.Contains(t, line, "twice ", script)
			}
		}
	}
	require.Equal(t, 14, found)

	place := filepath.Join(t.TempDir(), "place")
	run := func(script string) (out string, err error) {
		cmd := exec.Command("./twice", "sh", "-c", script, place)
		cmd.Env = append(os.Environ(), "TWICE_PAUSE=0")
		printed, err := cmd.CombinedOutput()
		return string(printed), err
	}
	out, err := run(`[ -e "$0" ] || { touch "$0"; exit 7; }`)
	require.NoError(t, err)
	require.Contains(t, out, "once more: sh -c ")
	out, err = run("echo here; exit 7")
	require.EqualError(t, err, "exit status 7")
	require.Equal(t, 2, strings.Count(out, "here\n"))
}
