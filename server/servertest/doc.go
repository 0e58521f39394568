// Package servertest runs commands in tests. It starts a whole server without sockets and files.
// The server's clock stands still until the test moves it. Only tests import the package.
//
//	harness.go  the server, its clients and its clock
//	peer.go     a transport without a socket
//	helpers.go  INFO, metrics, pipelines, commands that wait
//	allocs_*.go whether the race detector is on
//	disk.go     a persistence that counts calls
//	topology.go a cluster that does what the test says
//	userfile.go an aclfile in memory
//
// Invariants: it registers no commands. A test imports the families that it calls, or commands/all.
//
// Locks: Disk.mu guards the counts of a Disk. There are no other locks. One goroutine uses a Harness, unless
// its clients listen on a port.
package servertest
