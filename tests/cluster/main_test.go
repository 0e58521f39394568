package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// bin is the server under test, built once for all tests.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if bin = os.Getenv("CLUSTER_BIN"); bin != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = filepath.Join(dir, "cellserver")
	if out, err := exec.Command("go", "build", "-o", bin, "cellserver/cmd/cellserver").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return m.Run()
}

// number returns an environment variable as a number.
func number(t *testing.T, name string, otherwise int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is not a number: %v", name, err)
	}
	return n
}

// faultsLast returns how long the faults of a test last.
func faultsLast(t *testing.T) time.Duration {
	if testing.Short() {
		return 5 * time.Second
	}
	return time.Duration(number(t, "CLUSTER_SECONDS", 30)) * time.Second
}
