// Package scripttest has scripts for tests and benchmarks. The text is ours.
//
//	limiters.go   the calls of the scripts of rate-limit libraries, in their order and with such arguments
//	greedy.go     scripts that make as much as they can
//
// Invariant: a call of each script of a library is allowed.
//
// The package holds no state and takes no locks.
package scripttest
