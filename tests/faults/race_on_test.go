//go:build race

package faults

// buildFlags builds the server with the race detector if the tests have it, and compiles its packages as the tests do.
var buildFlags = []string{"-race", "-pgo=off"}
