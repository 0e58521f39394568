// Package persistence keeps the keyspace on disk, in Redis's own formats. So limits survive
// restarts, and another server can use the files. It knows files, the store and its effects. It
// knows no commands.
//
// A [Manager] owns a directory:
//
//	LOCK                     locked while a server writes to the directory
//	appendonlydir/           every change, as it happens: package [cellserver/persistence/aof]
//	dump.rdb                 a snapshot: package [cellserver/persistence/rdb]
//	temp-dump.rdb            the next snapshot: renamed after it is complete and on disk
//
// The way through the files, from the top:
//
//	manager.go           Manager: start, stop, ticks, and what commands ask for
//	inventory.go         what a directory holds, and what a start would ignore
//	rivals.go            snapshots that are not loaded
//	load.go              how files are loaded
//	log_rewrite.go       how the append-only file begins, is rewritten, and ends
//	info.go              the fields of INFO
//	snapshots.go         how a snapshot is written, and when one is due
//	failures.go          which failed attempts have a line in the log
//	log.go               the state of the append-only file, and when a rewrite is due
//	progress.go          the progress of the load
//	later_files.go       files from the future: the clock was set back since
//	lost_files.go        notices that the directory or a file of the log is gone
//	environment.go       what these parts share; replace.go: how a file is replaced
//	settings.go, jobs.go, directory.go
//
// # Invariants
//
// A snapshot shows one moment, and no client waits for it ([store.Store.Snapshot]). One background job runs
// at a time. A rename replaces a file when the new file is complete and on disk. Loading changes files in one
// case only: it cuts off the torn tail of a log and keeps a copy of the tail. A start that would ignore data
// changes nothing, and fails. Package [cellserver/persistence/fs] does all file operations, so tests can make
// any of them fail.
//
// # Locks
//
// A rewrite holds the lock of the append-only file from its begin to its end. Inside this lock it takes the
// locks of the store, the directory, the condition and the journal. The locks of the jobs, the directory and
// the condition are innermost locks of this package. Numbers for INFO are atomic.
package persistence
