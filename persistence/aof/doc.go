// Package aof is the append-only file of Redis 7: a directory with a manifest, a base and files of the
// changes since. The package knows files and a store's effects. It knows no commands of clients and no
// clock.
//
//	appendonly.aof.manifest       the list of the files, in order, under a checksum
//	appendonly.aof.3.base.rdb     the keyspace at one moment: package [cellserver/persistence/rdb]
//	appendonly.aof.7.incr.aof     every change since then
//
// The way through the files:
//
//	dir.go, file.go           Dir is the directory, File is a file of changes that is being written
//	stray.go                  files that the manifest does not list, and the mark of a rewrite
//	journal.go                Journal observes the store and collects its changes
//	lanes.go                  where changes collect, so that partitions do not wait for each other
//	journal_write.go          who writes the changes, and when they are synced
//	journal_later.go          for callers that must not wait: a goroutine waits for them
//	journal_bound.go          how much may wait to be written
//	load.go                   Load reads all files into a store
//	reader.go, window.go      the commands of one file
//	torn.go                   torn tails: distinguishes them from damage, and cuts them off
//	prefetch.go               for speed alone: prefetches keys
//	types.go                  the table of all types: effects to commands, and back
//	string.go                 the codec of strings
//	collection.go             the codec of all other types, by their descriptions
//	keyspace.go               the codec of the effects that all types share
//	codec.go                  what a codec has; effects on the server's own database, inside an ECHO
//	body.go                   effects as commands without files, for the log of a cluster
//	body_numbers.go           integers in such a body
//
// Package format knows the bytes of batches, commands and the manifest.
//
// # What is written
//
// Effects become Redis commands, most with absolute values. A throttle becomes SET key 1700000000123456789
// PXAT 1700000000124: the result, not the request. So a log gives the same keyspace at every load. RENAME
// and MOVE name their keys: they add a few bytes for a value of any size. A request that changes nothing
// adds no byte. A transaction of several effects is a MULTI … EXEC. Such transactions that follow each
// other in a batch become one MULTI … EXEC of about 64 KB at most.
//
// The commands of one write are a batch. A batch begins with a comment that has the checksum of the
// commands. So a reader notices damage and torn tails. Redis skips comments.
//
// # Guarantees
//
// No client gets the reply to a change before the kernel has the change. With [Always] the disk has
// it, too. Changes that wait at the same time share one write.
//
// After a failed write or fsync, the journal never trusts the file again. Nobody knows what a failed fsync
// leaves on disk (Rebello et al., Can Applications Recover from fsync Failures?, USENIX ATC 2020). A
// snapshot of everything replaces the file.
//
// The journal never appends to a file of an earlier run. [Dir.CutTornTail] cuts off the torn tail of such a
// file, and keeps a copy of the tail beside the file. With damage at any other place [Dir.Load] fails, and
// changes nothing.
//
// # What is read
//
// The package reads its own logs and those of Redis. A base is an RDB file or a file of commands. A log of
// Redis before version 7 is one file. A [Replayer] runs the commands that the package does not know.
//
// # Locks
//
// A [Journal] has a group lock, and a lock for each lane. The group lock guards who writes. The lock of a
// lane guards the collected changes of its partitions. A transaction takes the locks of its lanes inside the
// store's locks, and no goroutine holds it during I/O. A goroutine takes the group lock first, and several
// lanes in ascending order. A goroutine holds the lock of a [File] while it syncs or closes the
// file, and takes no other lock meanwhile. A [Dir] has no lock: only one goroutine may use it at a time.
//
// Source: https://github.com/redis/redis/blob/7.0/src/aof.c
package aof
