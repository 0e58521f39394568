// Package quote splits a line into arguments and quotes an argument, as redis.conf does.
//
// It keeps no state and takes no lock.
package quote
