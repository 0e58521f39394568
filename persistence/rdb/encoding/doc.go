// Package encoding reads and writes the primitives of Redis's snapshot format: lengths, strings, scores and
// packed lists. It knows no keys, no types of values and no files.
//
// The way through the files:
//
//	decoder.go  Decoder takes bytes from a stream or a slice and keeps their checksum
//	string.go   how a Decoder reads lengths and strings
//	lzf.go      how a compressed string is expanded
//	packed.go   listpacks and ziplists: strings that hold a list
//	intset.go, zipmap.go  strings that hold a set of integers, or an old hash
//	encoder.go  Encoder collects the primitives that are written
//	format.go   the bytes with which lengths and strings begin
//	checksum.go the checksum of a file, by hash/crc64
//	error.go    Error says where the input is wrong
//
// Invariants: a Decoder never trusts its input. Memory grows with the bytes that arrive, not with the lengths
// that they claim.
//
// There are no locks: a Decoder or an Encoder belongs to one goroutine at a time.
//
// Source: https://github.com/redis/redis/blob/7.0/src/rdb.h
package encoding
