// Package faults breaks the disk, the process and the files of a running server in all known ways. It checks
// the guarantees of persistence:
//
//   - always: no acknowledged change is lost;
//   - everysec: a power cut loses at most the acknowledged changes of the last two seconds; the death of the process loses none;
//   - no: the death of the process loses no acknowledged change;
//   - every recovered value was sent by a client. So a loss can only make a limiter more permissive;
//   - the server starts again by itself, or names the damaged file and the offset, and changes nothing.
//
// The tests run the real binary, over the network, with files on a real file system. By default each test runs a part
// of its rounds; FAULTS=full runs all, and -short runs few. FAULTS_SUBJECT=redis tests the real redis-server instead of
// cellserver: some tests must fail then. FAULTS_BIN is the path of a cellserver that was built before.
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

// rounds returns the number of rounds of a test: few with -short, share by default, full with FAULTS=full, and
// so many percent of full if FAULTS is a number.
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

// skip skips the test, or fails it if the environment asks that no test is skipped.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// random returns a source of random numbers. SEED repeats its numbers.
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
