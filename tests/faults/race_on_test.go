//go:build race

package faults

// buildFlags builds the server with the race detector if the tests have it.
var buildFlags = []string{"-race"}
