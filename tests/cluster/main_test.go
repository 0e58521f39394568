package cluster

import (
	"os"
	"strconv"
	"testing"
	"time"

	"cellserver/internal/buildtest"
)

// bin is the server under test, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	bin = os.Getenv("CLUSTER_BIN")
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &bin}))
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
	return time.Duration(number(t, "CLUSTER_SECONDS", 90)) * time.Second
}
