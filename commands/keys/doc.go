// Package keys holds the commands on keys of any type and on whole databases. Examples are DEL,
// EXPIRE, TTL, RENAME, SCAN, DUMP, RESTORE, OBJECT and FLUSHALL.
//
// May use: the keyspace and the configuration; FLUSHALL also persistence and the tracking table.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package keys
