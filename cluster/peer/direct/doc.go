// Package direct reads from sockets and writes to them without telling the Go runtime.
//
//	direct.go        Conn
//	socket_linux.go  its system calls on Linux
//	socket_other.go  other systems have no such calls here
//
// The runtime assumes that every system call may wait. A call in an idle process wakes the runtime's monitor, and the
// monitor then runs every 20 µs. A follower is idle between two entries, so this was a quarter of its CPU. A socket of
// Go never waits in the kernel: if it is not ready, the call fails, and the goroutine waits in the poller. So the
// runtime need not know of the call.
//
// Invariant: a connection of this package does what the connection inside it does.
//
// # Locks
//
// A goroutine that reads holds the lock of the direction for reading. A goroutine that writes holds the lock of the
// direction for writing. No other lock is taken inside them.
package direct
