// Package reservation keeps the records of reservations: a quantity that was counted before its real cost
// was known.
//
// A record has what a settlement needs, and the answers that a repeated request gets again. Records lie in
// buckets. A bucket is a string of bytes: its form and entries, one after the other. An entry is a
// reservation, or the settlement of a reservation before it. So both add a few bytes to the end, and change
// no other byte. The caller keeps each bucket in a key, reads the clock, and stores what the functions
// return. The package knows no clock, no key and no lock.
//
//	record.go    Record
//	bucket.go    finding, adding and settling a record of a bucket, and moving its times
//	entry.go     the bytes of an entry
//	numbers.go   the bytes of a number of an entry
//	release.go   what a reservation counted, for giving it back at its end
//
// # Invariants
//
//   - A record whose end has come is never found. [Put] drops it.
//   - A bucket has at most [MaxRecords] records, and each at most one settlement.
//   - Bytes that are not a bucket are an error, and no input panics.
//
// There are no locks.
package reservation
