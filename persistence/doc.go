// Package persistence keeps the keyspace on disk, in Redis's own formats: so limits
// survive restarts, and servers can be exchanged by copying their files. It knows files, the
// store and its effects. It knows no commands.
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
//	load.go              how files are loaded
//	log_rewrite.go       how the append-only file begins, is rewritten, and ends
//	info.go              the fields of INFO
//	snapshots.go         how a snapshot is written, and when one is due
//	log.go               the state of the append-only file, and when a rewrite is due
//	progress.go          how far the loading has come
//	clock_correction.go  throttle keys of files from the future
//	lost_files.go        notices that the directory or a file of the log is gone
//	environment.go       what these parts share; replace.go: how a file is replaced
//	settings.go, jobs.go, directory.go
//
// # Invariants
//
// A snapshot is of one moment, and no client waits while it is written ([store.Store.Snapshot]). One background job
// runs at a time. A file is replaced by a rename, after the new file is complete and on disk. Loading changes no file,
// except that it cuts off the torn tail of a log and keeps a copy of the tail. All files are reached through package
// [cellserver/persistence/fs], so that tests can make any operation fail.
//
// # Locks
//
// The lock of the append-only file is held for a whole rewrite; the store's locks, the directory's, the condition's and
// the journal's are taken while it is held. The locks of the jobs, the directory and the condition are held briefly,
// and no other lock of this package is taken meanwhile. Numbers for INFO are atomic.
package persistence
