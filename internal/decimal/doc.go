// Package decimal reads and writes the decimal form of an int64.
//
// Every request and every reply of a limiter contains several integers. The package handles eight digits at
// once, in one 64-bit word, where the standard library handles one or two. This exists for speed alone. An
// integer of 19 digits takes a quarter of strconv's time to read, and two thirds to write:
//
//	go test -run '^$' -bench . ./internal/decimal
//
// The results must never differ from those of strconv. Only Parse is stricter: it accepts the canonical form
// only, as Redis does.
//
// There is no state and no lock.
package decimal
