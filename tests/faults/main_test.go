// Package faults breaks a running server's disk, process and files in every way that is known to happen, and checks
// that what comes back is what was promised:
//
//   - always: no acknowledged change is lost;
//   - everysec: on a power cut at most the last two seconds of them, on the death of the process none;
//   - no: on the death of the process none;
//   - what comes back is what some client was told or was about to be told, never more, never something else: loss can
//     only make a limiter more permissive;
//   - the server starts again by itself, or says which file is damaged where, and changes nothing.
//
// The server is the real binary, spoken to over the wire, its files on a real file system. Each test runs a share that
// fits into a run of all tests; FAULTS=full runs the counts that the promises were made with, and -short few of them.
// FAULTS_SUBJECT=redis puts the real redis-server in cellserver's place, which is how the tests are known to fail;
// FAULTS_BIN is a cellserver that is built already.
package faults

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bin is the server under test, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	if bin = os.Getenv("FAULTS_BIN"); bin != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "faults")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = filepath.Join(dir, "cellserver")
	build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", bin, "cellserver/cmd/cellserver")...)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// rounds is how often a test does what it does: few with -short, share in a run of all tests, full with FAULTS=full, and
// so many percent of that when FAULTS is a number.
func rounds(share, full int) int {
	if percent, err := strconv.Atoi(os.Getenv("FAULTS")); err == nil {
		return max(1, full*percent/100)
	}
	switch {
	case os.Getenv("FAULTS") == "full":
		return full
	case testing.Short():
		return max(1, share/5)
	}
	return share
}

// skip skips the test, or fails it where a skip counts as a failure.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// random is a source of randomness that SEED repeats.
func random(t testing.TB) *rand.Rand {
	n := time.Now().UnixNano()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		n, err = strconv.ParseInt(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("SEED=%d", n)
	return rand.New(rand.NewSource(n))
}
