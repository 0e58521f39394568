// Package fs has interfaces for the file system, with the operations that persistence uses. So tests can make
// any operation fail, and cut the power between any two operations.
//
//	fs.go     the interfaces FS and File, their errors, and functions on them, such as Replace
//	os.go     OS, the file system of the operating system; the code for some systems only is in
//	          lock_unix.go, lock_other.go, sync_linux.go and dropcache_linux.go
//	fstest/   a file system in memory, for tests
//
// Invariants: the interfaces guarantee only what POSIX guarantees. Written bytes survive a power cut after a
// sync of the file. A new, renamed or removed name survives a power cut after a sync of its directory.
// Errors are those of package os, and [ErrLocked] and [ErrNoFile].
//
// The package takes no mutex. [FS.Lock] is between processes.
package fs
