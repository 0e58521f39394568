// Package transactions holds MULTI, EXEC, DISCARD, WATCH and UNWATCH.
//
// EXEC is atomic because its footprint is the union of the footprints of all queued commands. It
// locks these partitions once and runs all commands. Package server queues the commands after MULTI.
//
// May use: the transaction of the own connection.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package transactions
