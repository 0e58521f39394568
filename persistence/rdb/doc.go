// Package rdb reads and writes Redis's snapshot format: whole files, and the payloads of
// DUMP and RESTORE, which hold one value each. It knows no files, no clock and no wire:
// a [Writer] writes to an io.Writer, a [Reader] reads from an io.Reader.
//
// # What is written
//
// Version 9 of the format with its plain types only, strings and sorted sets with binary
// scores, nothing compressed. Every Redis since 5 and every Valkey reads that, and makes
// its own compact encodings of it.
//
// # What is read
//
// Versions 1 to 12, and every encoding in which they keep strings and sorted sets. What
// the server has no type for is refused by the name of its type and key, or left out and
// counted if [Options] say so. Input is never trusted: memory is asked for as bytes
// arrive, not as lengths claim, and every [Error] says where and what was expected.
//
// # The format
//
//	"REDIS" and the version, 4 digits
//	{ opcode or type of value … }
//	0xFF, and since version 5 the CRC-64 of all before it, 8 bytes, little-endian; 0 for none
//
// A key is its attributes (expiry, idle time or use counter, each an opcode), the type
// of its value, its name and its value. A length is 1, 2, 5 or 9 bytes; a string is a length
// and its bytes, an integer of 1, 2 or 4 bytes, or LZF-compressed.
//
// A payload is a type, a value, the version in 2 bytes and the CRC-64 of all before that.
//
// Source: https://github.com/redis/redis/blob/7.0/src/rdb.h and, for what came later,
// the releases up to 7.4.
package rdb
