// Package commands is the frame of all commands: the table of commands, and all that a command uses.
//
//	command.go, category.go                        a row of the table, and values derived from it
//	docs.go, docs.json                             the documentation of the rows
//	lookupcache.go                                 the last two rows that a client used
//	keypositions.go, keyspec.go                    which arguments are keys
//	call.go                                        one call of a command
//	conn.go, conn_transaction.go, conn_listen.go   the connection that sent the command
//	scratch.go                                     memory that limiters reuse
//	access.go, rights.go, absent.go                which users may run a command, by acl
//	peer.go                                        where replies and decisions go: a transport, or a caller in the process
//	cost.go                                       how long a command may keep other clients waiting
//	server.go, clientinfo.go, disk.go, refusal.go  the server, as narrow interfaces
//	topology.go, replication.go                    the cluster, and a server to follow, as interfaces
//	scripts.go                                     the scripts of the server
//	blocking.go, keywait.go                        commands that wait for keys
//	args.go, database.go, expiry.go             arguments that many commands read
//	integer.go, float.go, scan_args.go, random.go  more of them
//	values.go                                      values of one kind, and what families do with them alike
//	reply.go, errors.go, help.go, clientline.go    replies that many commands write
//	events.go                                      keyspace events, which commands publish
//	after.go                                       what follows when a command has released its locks
//	rulechanges.go                                 who changed a rule, for the log and subscribers
//	version.go                                     versions, and the name of the mode
//
// The commands are in the folders below: strings, hashes, lists, sets, sortedsets, keys, limits,
// transactions, scripting, pubsub, connection, admin, cluster. A command is one file, named after it, with
// its test beside it. Commands that differ by a parameter share a file: grep '"touch"' finds the row.
// A file declares its command as data and registers it:
//
//	var _ = commands.Register(&commands.Command{
//		Name: "get", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
//		Group: commands.GroupString, Run: get,
//	})
//
// The file docs.json has what clients read about a command, and nothing else: the texts of COMMAND DOCS and
// HELP.
//
// Dispatch, arity errors, locks, COMMAND and docs/commands.md read the table. A test requires a test for
// every row. docs/adding-a-command.md adds a command, step by step.
//
// The way of a command: server.Client.Handle looks the command up and checks whether it may run. Handle
// then locks the partitions of the command's keys and calls Run with a [Call]. If Run returns an error, the
// error is the reply, and Run has written nothing.
//
// Invariants: a command sees the state of its own connection alone ([Conn]). Other connections publish a
// copy of a part of theirs ([ClientInfo]). A command reads no clock: [Call] has the time. A command reaches
// the server through the interfaces of [Server].
//
// Locks: the frame takes none. The table is complete before the server starts, and never changes.
package commands
