// Package quote splits a line into arguments and quotes an argument.
//
//	quote.go  lines and arguments, as redis.conf and inline commands have them
//	word.go   a word for an error
//
// Invariant: a line of quoted arguments splits into these arguments.
//
// The package keeps no state and takes no lock.
package quote
