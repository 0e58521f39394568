// Package commands is the frame of all commands: the table, and what a command gets and uses.
//
//	command.go, keyspec.go, category.go   a row of the table, and what is derived from it
//	call.go                               one command while it runs
//	conn.go, conn_transaction.go, conn_listen.go  the own connection, as its commands see it
//	server.go, clientinfo.go, disk.go, refusal.go the server, as narrow interfaces
//	args.go, expiry.go, scan_args.go, float.go    arguments that many commands read
//	reply.go, errors.go, help.go          replies that many commands write
//	version.go                            versions, and the name of the mode
//
// The commands are in the folders below: strings, keys, sortedsets, limits, transactions,
// pubsub, connection, admin, cluster. A command is one file, named after it, with its test
// beside it. Commands that differ by a parameter share a file: grep 'Name: "touch"' finds the row.
// A file declares its command as data and registers it:
//
//	var _ = commands.Register(&commands.Command{
//		Name: "get", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
//		Group: commands.GroupString, Since: "1.0.0",
//		Summary: "Get the value of a key", Usage: "key", Run: get,
//	})
//
// Everything else reads the table: dispatch, arity errors, locks, COMMAND, docs/commands.md and
// the test that every command has a test. docs/adding-a-command.md adds one, step by step.
//
// The way of a command: server.Client.Handle looks it up, checks what must hold before it may run,
// locks the partitions of its keys and calls Run with a [Call]. If Run returns an error, the error
// is the reply, and Run has written nothing.
//
// Invariants: a command sees its own connection alone ([Conn]); of others it sees what they publish
// ([ClientInfo]). It reads no clock: [Call] has the time. It reaches the server through the
// interfaces of [Server].
//
// Locks: the frame takes none. The table is complete before the server starts, and never changes.
package commands
