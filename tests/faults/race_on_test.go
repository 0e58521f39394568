//go:build race

package faults

// buildFlags makes the server under test look for races when the tests do.
var buildFlags = []string{"-race"}
