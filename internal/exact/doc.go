// Package exact does int64 arithmetic that is correct, or reports that the result does not fit.
//
// Limits, and nanoseconds since the epoch, come near the ends of int64 (the year 2262). A sum or a product
// that overflows silently would limit a client for ever, or not at all.
//
// Invariant: a result that is reported as exact is the mathematical one.
//
// There is no state and no lock.
package exact
