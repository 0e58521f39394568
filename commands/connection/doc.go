// Package connection holds the commands about the connection itself: AUTH, HELLO, CLIENT, SELECT,
// PING, ECHO, RESET, QUIT and WAIT.
//
// client.go has the row of CLIENT. The files client_….go have its subcommands.
//
// May use: every part of the own connection, the registry of clients, and all that RESET must end.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package connection
