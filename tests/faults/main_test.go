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
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"cellserver/internal/buildtest"

	"github.com/stretchr/testify/require"
)

// bin is the server under test, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	bin = os.Getenv("FAULTS_BIN")
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &bin, Flags: buildFlags}))
}

// rounds returns the number of rounds of a test: few with -short, share by default, full with FAULTS=full, and that
// percentage of full if FAULTS is a number.
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
