// Command cellserver is a rate-limiting server that any Redis client can use.
//
//	main.go      run: reads the configuration, makes the server, runs it; exit codes
//	subcommands.go   the table of sub-commands, and their command lines
//	help.go          the texts of --help
//	completion.go    cellserver completion: completion.bash and completion.zsh with the tables
//	ping.go          cellserver ping, the health check
//	doctor.go        cellserver doctor, how a running server is, and what to do; doctor/ has its parts
//	check.go         the sub-commands that check files or a cluster, and those that make a cluster
//	signals.go   SIGTERM and SIGINT stop the server, SIGHUP reads files again, SIGPIPE is ignored
//	hide_*.go    hides passwords from the list of processes
//	pages_*.go       gives back what only the start needed
//	collector.go     how much garbage the heap may have
//	files.go     reads configuration files and standard input
//	logline/     the lines of the log
//	app/         the server; it knows no flags, no signals and no exit codes
//
// The order of the start: run reads the configuration, registers SIGTERM and SIGINT, and opens the listeners
// with app.New. Then it registers SIGHUP, and serves with App.Run until the end. The greeting comes when the
// data is there.
//
// SIGTERM and SIGINT end the context of App.Run, which drains the connections and saves the data. A second
// SIGTERM or SIGINT ends the process at once.
//
// Exit codes: 0 after a clean stop, and after a sub-command that succeeds. 1 after an error, and after a
// second signal. An error is one line on standard error, in JSON if log-format says so.
//
// The greeting goes to standard output. It is left out if logfile is set, loglevel is warning
// or log-format is json.
//
// Invariants: each goroutine for signals lives as long as the process. No password stays in the list of
// processes.
//
// Locks: no locks.
package main
