package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoBenchmarks(t *testing.T) {
	found, err := parseGoBench(`goos: linux
BenchmarkThrottle8/keys/1-2         	   68704	      3465 ns/op	       433.1 ns/command	       0 B/op
BenchmarkThrottle8/keys/1-2         	   68704	      3466 ns/op	       434 ns/command	       0 B/op
BenchmarkLongest 1 2 ns/op 79.12 longest-µs
PASS
`)
	require.NoError(t, err)
	require.Equal(t, []float64{433.1, 434}, found["Throttle8/keys/1"]["ns/command"])
	require.Equal(t, []float64{79.12}, found["Longest"]["longest-µs"])
	_, err = parseGoBench("PASS\n")
	require.Error(t, err)
	_, err = parseGoBench("BenchmarkX-2 1 many ns/op\n")
	require.Error(t, err)
}
