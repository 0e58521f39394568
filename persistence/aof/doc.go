// Package aof is the append-only file of Redis 7: a directory with a manifest, a base and
// files of the changes since. It knows files and a store's effects, no command and no clock.
//
//	appendonly.aof.manifest       which files there are, in order, under a checksum
//	appendonly.aof.3.base.rdb     the keyspace at one moment: package [cellserver/persistence/rdb]
//	appendonly.aof.7.incr.aof     every change since then
//
// A [Dir] is the directory, and loads it. A [Journal] observes the store and writes.
//
// # What is written
//
// Effects as Redis's commands, and absolute: SET key 1700000000123456789 PXAT 1700000000124
// is what a throttle leaves, never the question that was asked. So a log says the same
// whenever it is loaded, and where nothing changed it has no byte. A transaction of several
// effects is a MULTI … EXEC.
//
// What one write puts into the file begins with a comment that has its checksum, so that
// damage is noticed and a torn end is told from a whole one. Redis skips comments.
//
// # What is promised
//
// Nobody is told of a change before the kernel has it, and with [Always] before the disk
// has it. One write does for all that came together.
//
// A file that could not be written, or forced to disk, is never trusted again, as what an
// fsync that failed leaves behind is anybody's guess (Rebello et al., Can Applications
// Recover from fsync Failures?, USENIX ATC 2020): the next one begins with everything.
//
// A file of an earlier run is never added to. Its end may be torn, which is cut off and kept
// beside it; damage anywhere else refuses to load, and changes nothing.
//
// # What is read
//
// That, and what a Redis writes: its bases of either kind, logs of the time when they were one
// file, and commands that this package does not know, which someone else runs ([Foreign]).
//
// Source: https://github.com/redis/redis/blob/7.0/src/aof.c
package aof
