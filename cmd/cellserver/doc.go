// Command cellserver is a rate-limiting server that any Redis client can use.
//
//	main.go      run: reads the configuration, makes the server, runs it; exit codes
//	signals.go   SIGTERM and SIGINT stop the server, SIGHUP reads the rules-file again
//	hide_*.go    hides passwords from the list of processes
//	ping.go      cellserver --ping, the health check
//	clustercheck.go  cellserver --cluster-check, the state of a cluster
//	doctor.go        cellserver --doctor, how a running server is, and what to do, and its options; doctor/ has its parts
//	checkrules.go    cellserver --check-rules, the errors of a rules-file
//	clusterrecover.go  cellserver --cluster-recover and --cluster-import, a new cluster from the keys of a disk or a file
//	collector.go     how much garbage the heap may have
//	files.go     reads configuration files and standard input
//	app/         the server; it knows no flags, no signals and no exit codes
//
// The order of the start: run reads the configuration, registers SIGTERM and SIGINT, and opens the listeners
// with app.New. Then it registers SIGHUP, and serves with App.Run until the end. The greeting comes when the
// data is there.
//
// SIGTERM and SIGINT end the context of App.Run, which drains the connections and saves the data. A second
// SIGTERM or SIGINT ends the process at once.
//
// Exit codes: 0 after a clean stop, --help, --version, --licenses, --check-rules of a right file, and a
// successful --ping,
// --doctor, --cluster-check, --cluster-recover or --cluster-import. 1 after an error, which is one line on standard error, and after a
// second signal.
//
// The greeting goes to standard output. It is left out if logfile is set or loglevel is warning.
//
// Invariants: each goroutine for signals lives as long as the process. No password stays in the list of
// processes.
//
// Locks: no locks.
package main
