// Package word compares the words of a command line with the words that a command knows.
//
//	nearest.go  with mistakes
//
// Invariant: Is allocates nothing.
//
// The package imports nothing of ours, holds no state and takes no locks.
package word
