// Package processtest runs programs for tests.
//
//	process.go  Process: a program that ends with the test, and what it prints
//
// Invariant: a program ends with its test, or with the process of the test at the latest.
//
// # Locks
//
// output.mu guards what a program has printed. It is an innermost lock.
//
// Only tests import the package.
package processtest
