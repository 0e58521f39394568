// Package buildtest builds programs of this module once for all tests of a package.
//
// Invariant: a program is built once for a run of tests.
//
// Only tests import the package. It holds no state and takes no locks.
package buildtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Server is the package of the server's program.
const Server = "cellserver/cmd/cellserver"

// Program is a program that tests start.
type Program struct {
	Package string   // its import path
	Path    *string  // receives the path of the binary; if it has a path already, the program is not built
	Flags   []string // of go build
}

// Run builds the programs, runs the tests and removes the programs. It returns the exit code.
func Run(m *testing.M, all ...Program) int {
	dir, err := os.MkdirTemp("", "buildtest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, one := range all {
		if *one.Path != "" {
			continue
		}
		*one.Path = filepath.Join(dir, filepath.Base(one.Package))
		argv := append(append([]string{"build"}, one.Flags...), "-o", *one.Path, one.Package)
		if out, err := exec.Command("go", argv...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build %s: %v: %s\n", one.Package, err, out)
			return 1
		}
	}
	return m.Run()
}
