// Package fs has an interface for the file system, with the operations that persistence uses. So
// tests can make any operation fail, and cut the power between any two operations.
//
//	fs.go     the interfaces FS and File, and functions on them: Exists, Replace, DropCache
//	os.go     OS, the file system of the operating system; its parts for one system are in
//	          lock_*.go, sync_linux.go and dropcache_linux.go
//	fstest/   a file system in memory, for tests
//
// Invariants: the interfaces guarantee only what POSIX guarantees. Written bytes survive a power cut after a
// sync of the file. A new, renamed or removed name survives a power cut after a sync of its directory.
// Errors are those of package os.
//
// There are no locks.
package fs
