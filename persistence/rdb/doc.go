// Package rdb reads and writes Redis's snapshot format: whole files, and the payloads of
// DUMP and RESTORE, which hold one value each. It knows no files, no clock and no clients:
// a [Writer] writes to an io.Writer, a [Reader] reads from an io.Reader.
//
// The way through the files, from the top:
//
//	save.go, load.go         whole files, out of a snapshot and into a store
//	own.go                   keys of the server's own database
//	payload.go               AppendPayload and DecodePayload, for DUMP and RESTORE
//	writer.go, reader.go     the structure of a file: header, opcodes, keys, checksum
//	types.go                 the table of all types: one row for each codec
//	string.go, sortedset.go, hash.go, set.go, list.go  one file for each type: its codec
//	parts.go                 the codec of types whose values are sequences of strings
//	unsupported.go           Redis's other types, and how to skip their values
//	codec.go                 what a codec has, and Value
//	format.go                versions and opcodes
//
// The folder encoding has the primitives: lengths, strings, packed lists and the checksum.
//
// # What is written
//
// The writer writes version 9, with its plain types only: strings, hashes, lists, sets, and sorted sets with
// binary scores. It compresses nothing. Every Redis since 5 and every Valkey reads such files, and makes its
// own compact encodings.
//
// # What is read
//
// The reader knows versions 1 to 16 of Redis and 80 of Valkey, with every encoding of strings, hashes,
// lists, sets and sorted sets. A key of another type is an [Unsupported] error. With SkipUnsupported in
// [Options], the reader leaves it out and counts it.
//
// # Invariants
//
// The reader never trusts its input. Memory grows with the bytes that arrive, not with the lengths that they
// claim. Every [Error] has the place of the fault and the expected input. A file is valid only as a whole:
// use no key before the reader has verified the checksum.
//
// Equal snapshots make equal files. No key costs an allocation. The only exceptions are collections in the
// reader.
//
// There are no locks: a Reader or a Writer belongs to one goroutine at a time. [Load] locks the whole store
// for some keys at a time.
//
// # The format
//
//	"REDIS" and the version, 4 digits
//	{ opcode or type of value … }
//	0xFF, and since version 5 the CRC-64 of all before it, 8 bytes, little-endian; 0: no checksum
//
// A key has its attributes (expiry, idle time or LFU counter, each after an opcode), the type
// of its value, its name and its value. A length has 1, 2, 5 or 9 bytes. A string is a length
// and its bytes, an integer of 1, 2 or 4 bytes, or compressed with LZF.
//
// A payload is a type, a value, the version in 2 bytes and the CRC-64 of all before it.
//
// Source: https://github.com/redis/redis/blob/7.0/src/rdb.h and, for what came later,
// the releases up to 7.4.
package rdb
