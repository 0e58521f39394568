//go:build !race

package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// executables are the first bytes of what compilers and linkers write: ELF, Mach-O, PE, archives, Java classes, wasm.
var executables = []string{
	"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ", "!<arch>\n", "\x00asm",
}

// isExecutable reports whether a file with these first bytes comes out of a compiler.
func isExecutable(head []byte) bool {
	for _, magic := range executables {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// TestNoBinaryIsCommitted reads the first bytes of every committed file.
func TestNoBinaryIsCommitted(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	require.NoError(t, err)
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	require.Greater(t, len(files), 1000)
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join("..", name))
		if os.IsNotExist(err) {
			continue // removed, and the removal is not committed yet
		}
		require.NoError(t, err)
		if isExecutable(data[:min(8, len(data))]) {
			t.Errorf("%s is a compiled program: remove it, and add its name to .gitignore and .dockerignore", name)
		}
	}
	own, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.True(t, isExecutable(own[:8]), "the test does not recognise its own program")
}
