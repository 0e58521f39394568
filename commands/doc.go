// Package commands is what the server can do: one table of commands, each a function
// of (state, now, arguments) that parses, acts and replies, in that order.
//
// A command is one file, named after it (get.go), with its test beside it; commands
// that differ by a parameter share one (expire.go). docs/adding-a-command.md adds one,
// step by step. A file declares its command as data and registers it:
//
//	var _ = register(&Command{
//		Name: "get", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: String,
//		Since: "1.0.0", Summary: "Get the value of a key", Usage: "key", Run: get,
//	})
//
// Everything else reads the table: dispatch, arity errors, locking, COMMAND, the
// reference in docs/commands.md and the test that every command has one.
//
// The file of a command that shares another's is found by its row: grep 'Name: "touch"'.
// Parents whose plain name means something else here are in cmd_client.go and the like,
// with the subcommands of CLIENT in client_….go.
//
// The way of one command: [Client.Handle] looks it up and checks what must hold before
// it may run (dispatch.go), locks the partitions of its keys and runs it (execute.go).
// Run gets a [Call]; the error it returns is the reply, and then nothing was written.
//
// What commands share: arguments (args.go, expiry.go, scan_args.go, float.go, glob.go),
// replies (reply.go, errors.go, help.go), sorted sets (zset.go, zinterval.go, zcombine.go),
// the state of a connection (client.go) and of the server (server.go), who is told of
// changes (tracking.go, invalidation.go) and messages (pubsub.go, listeners.go), what every
// limiter does (limiter.go, limiter_args.go, limiter_all.go), the rules that are made of them
// (rule.go, rules.go, rules_file.go), and what INFO, SLOWLOG, LATENCY and Prometheus show
// (stats.go, decisions.go, rates.go, slow.go, process.go, metrics.go, exposition.go).
package commands
