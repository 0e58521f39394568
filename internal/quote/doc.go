// Package quote splits a line into arguments and quotes an argument, as redis.conf does.
//
// Invariant: a line of quoted arguments splits into these arguments.
//
// The package keeps no state and takes no lock.
package quote
