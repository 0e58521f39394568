// Package crc64 computes the checksum of Redis snapshot files and DUMP payloads: CRC-64 with the polynomial of Jones.
// The package hash/crc64 cannot compute it: this checksum starts at 0 and is not inverted.
//
//	crc64.go          Update, the tables, and the constants for folding
//	crc64_amd64.go/.s folding in assembly, for processors with PCLMULQDQ
//	crc64_other.go    all other processors: tables only
//
// The assembly exists for speed alone.
//
// What it is: the function fold, for most of the bytes of a long input.
//
// What it brings: it computes the checksum of 64 KiB five times as fast as the tables (go test -bench Checksum
// ./persistence/rdb/crc64).
//
// What it must never do: change a result. Tests compare it with the tables and with the bitwise definition.
//
// Invariant: the checksum does not depend on how the input is cut into calls.
//
// The functions are pure. There are no locks.
package crc64
