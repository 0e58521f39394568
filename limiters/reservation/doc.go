// Package reservation keeps the records of reservations: a quantity that was counted before its real cost was known.
//
// A record has what a settlement needs, and the answers that a repeated request gets again. Records lie in buckets. A bucket is
// a string of bytes: a header and the records, one after the other. The caller keeps each bucket in a key, reads the clock, and
// stores what the functions return. The package knows no clock, no key and no lock.
//
//	record.go    Record, and its bytes
//	bucket.go    finding and replacing a record of a bucket, and moving its times
//	release.go   what a reservation counted, for giving it back at its end
//
// # Invariants
//
//   - A record whose end has come is never found, and the next record of its bucket drops it.
//   - A bucket has at most [MaxRecords] records.
//   - Bytes that are not a bucket are an error, and no input panics.
//
// There are no locks.
package reservation
