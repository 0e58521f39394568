// Package lists holds the commands on lists.
//
// list.go reads lists, finds which end an argument names, and publishes events.
//
// May use: the keyspace alone.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package lists
