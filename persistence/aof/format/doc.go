// Package format has the bytes of the append-only file: batches, commands and the manifest. It knows no
// files and no store.
//
//	batch.go     the header of a batch, with its checksum
//	command.go   commands and comments, parsed and appended
//	manifest.go  the list of the files of a log
//
// Invariants: a parser accepts only what Redis or this package writes. It never reads beyond its input, and
// it allocates no memory because of a claimed length.
//
// The functions are pure. There are no locks.
//
// Source: https://github.com/redis/redis/blob/7.0/src/aof.c
package format
