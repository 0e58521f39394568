// Package decimal reads and writes the decimal form of an int64.
//
// The package exists for speed alone.
//
// What it is: code that handles eight digits at once, in one 64-bit word. The standard library handles one
// or two. Every request and every reply of a limiter contains several integers.
//
// What it brings: an integer of 19 digits takes a quarter of strconv's time to read, and two thirds to write:
//
//	go test -run '^$' -bench . ./internal/decimal
//
// What it must never do: give another result than strconv. Only Parse is stricter: it accepts the canonical
// form only, as Redis does.
//
// Invariant: Parse reads every text that Append writes, and gives the same integer.
//
// There is no state and no lock.
package decimal
