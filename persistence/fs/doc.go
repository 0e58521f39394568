// Package fs has an interface for the file system, with the operations that persistence uses. So
// tests can make any operation fail, and cut the power between any two operations.
//
//	fs.go        the interfaces FS and File, and functions on them: Exists, Replace, WriteToCache, DropCache
//	os.go        OS, the file system of the operating system; lock_*.go, sync_linux.go and cache_linux.go are its parts for one system
//	blocking.go  for speed alone: other goroutines run while a call waits for the disk
//	fstest/      a file system in memory, for tests
//
// Invariants: the interfaces guarantee only what POSIX guarantees. Written bytes survive a power cut after a sync of
// the file. A new, renamed or removed name survives a power cut after a sync of its directory. Errors are those of
// package os.
//
// The only lock is in blocking.go. It guards the number of waiting calls, and is an innermost lock.
package fs
