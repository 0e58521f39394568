// Package scripttest has scripts for tests and benchmarks. Each one makes the calls of a rate-limit library's script, in the
// same order and with the same kind of arguments. The text is ours.
//
//	limiters.go   the scripts
//
// Invariant: a call of each script is allowed.
//
// The package holds no state and takes no locks.
package scripttest
