// Package hashes holds the commands on hashes.
//
// hash.go reads hashes and publishes their events.
//
// May use: the keyspace alone.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package hashes
