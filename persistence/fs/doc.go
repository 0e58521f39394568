// Package fs is the part of a file system that persistence uses, as an interface. So
// tests can make any operation fail, and cut the power between any two of them.
//
//	fs.go        the interfaces FS and File, and what is made of them: Exists, Replace
//	os.go        OS, the file system of the operating system; lock_*.go and sync_linux.go are its parts for one system
//	blocking.go  for speed alone: a call that waits for the disk keeps nobody else waiting
//	fstest/      a file system in memory, for tests
//
// The interfaces promise what POSIX promises, and no more. Written bytes survive a power cut after the file
// was synced. A new, renamed or removed name survives a power cut after its directory was synced. Errors
// are those of package os.
//
// The only lock is in blocking.go; it guards the number of waiting calls, and no other lock is taken while it is held.
package fs
