// Package aof is the append-only file of Redis 7: a directory with a manifest, a base and
// files of the changes since. It knows files and a store's effects. It knows no commands of clients and no clock.
//
//	appendonly.aof.manifest       the list of the files, in order, under a checksum
//	appendonly.aof.3.base.rdb     the keyspace at one moment: package [cellserver/persistence/rdb]
//	appendonly.aof.7.incr.aof     every change since then
//
// The way through the files:
//
//	dir.go, file.go           Dir is the directory, File is a file of changes that is being written
//	journal.go                Journal observes the store and collects its changes
//	journal_write.go          who writes the changes, and when they are synced
//	journal_later.go          for callers that must not wait: a goroutine waits for them
//	load.go                   Load reads all files into a store
//	reader.go, window.go      the commands of one file
//	torn.go                   a torn tail: how it differs from damage, and how it is cut off
//	prefetch.go, estimate.go  for speed alone: commands wait for their keys, and room for the keys that a file will make
//	types.go                  the table of all types: effects to commands, and back
//	string.go, sortedset.go   one file for each type: its codec
//	keyspace.go               the codec of the effects that all types share
//	codec.go                  what a codec has
//
// The folder format has the bytes: batches, commands and the manifest.
//
// # What is written
//
// Effects become Redis commands with absolute values. A throttle becomes SET key 1700000000123456789 PXAT
// 1700000000124: the result, not the request. So a log gives the same keyspace
// whenever it is loaded. A request that changes nothing adds no byte. A transaction of several
// effects is a MULTI … EXEC.
//
// The commands of one write are a batch. A batch begins with a comment that has the checksum of the commands. So
// a reader notices damage, and tells a torn tail from an intact one. Redis skips comments.
//
// # Guarantees
//
// No client hears of a change before the kernel has it and, with [Always], before the disk
// has it. All changes that came together share one write.
//
// After a failed write or fsync, a file is never trusted again: nobody knows what
// a failed fsync leaves on disk (Rebello et al., Can Applications
// Recover from fsync Failures?, USENIX ATC 2020). The next file begins with a snapshot of everything.
//
// The journal never appends to a file of an earlier run. A torn tail of such a file is cut off, and a copy of it is
// kept beside the file. Damage at any other place refuses to load, and changes nothing.
//
// # What is read
//
// The package reads its own logs and those of Redis: bases of both kinds, logs of one file (before version 7), and
// commands that a [Replayer] runs.
//
// # Locks
//
// A [Journal] has two locks. The group lock guards who writes. The lock mu guards the collected changes; it is taken
// while the store's locks are held, and never held during I/O. A goroutine that needs both takes the group lock first.
// A [File] has a lock that is held while the file is synced or closed; no other lock is taken meanwhile. A [Dir] has no
// lock: its user takes care that one goroutine uses it.
//
// Source: https://github.com/redis/redis/blob/7.0/src/aof.c
package aof
