package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUseProcessors: Go has two processors at least, unless its variable says otherwise.
func TestUseProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		variable    string
		before, now int
	}{{"", 1, 2}, {"", 2, 2}, {"", 5, 5}, {"1", 1, 1}} {
		t.Setenv("GOMAXPROCS", c.variable)
		runtime.GOMAXPROCS(c.before)
		useProcessors()
		require.Equal(t, c.now, runtime.GOMAXPROCS(0), "%+v", c)
	}
}
