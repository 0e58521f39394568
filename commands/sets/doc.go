// Package sets holds the commands on sets.
//
// set.go reads and changes the set of a key. combine.go makes unions, intersections and differences.
//
// May use: the keyspace alone.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package sets
