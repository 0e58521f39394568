// Package connection holds the commands about the connection itself: AUTH, HELLO, CLIENT, SELECT,
// PING, ECHO, RESET, QUIT and WAIT.
//
// client.go is CLIENT itself; each of its subcommands is in a client_….go file.
//
// May use: every part of the own connection, and the registry of clients.
//
// A command is one file, with its test beside it. A command that returns an error has written
// nothing. The package takes no locks: a command runs while the server holds the partitions of
// its keys.
package connection
