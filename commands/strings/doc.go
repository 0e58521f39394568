// Package strings holds the commands on strings and counters.
//
// increx_float.go has INCREX for floating-point numbers.
//
// May use: the keyspace, and the configured length of a string.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package strings
