// Package keys holds the commands on keys of any type, and on whole databases: DEL, EXPIRE, TTL,
// RENAME, COPY, SCAN, DUMP, RESTORE, OBJECT, FLUSHALL and their kin.
//
// May use: the keyspace, the configuration, and persistence for FLUSHALL.
//
// A command is one file, with its test beside it. A command that returns an error has written
// nothing. The package takes no locks: a command runs while the server holds the partitions of
// its keys.
package keys
