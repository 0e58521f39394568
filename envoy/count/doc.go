// Package count says what a request of the rate limit service asks of a store of counters, and what the
// store answers.
//
// count.go has the types. The package counttest beside it has a store for tests.
//
// Invariants: a store answers one result for each hit, in the same order. It counts with its own clock.
//
// It has no locks.
package count
