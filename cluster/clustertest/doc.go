// Package clustertest runs the nodes of a cluster in one process, for tests in a bubble of testing/synctest.
// There the time is virtual, so an hour of faults takes seconds. The commands of clients go as bytes through
// the real server.
//
//	cluster.go    Cluster: its machines, their start, and what must be equal at the end
//	machine.go    Machine: one node with its server, its clock and its disk; it can crash and start again
//	network.go    Network: the messages of raft, with cuts, delays, losses and duplicates
//	transport.go  one node's place in the network
//	disk.go       Disk: the log and the snapshots of a machine, which outlive its crashes
//	session.go    Session: one connection of a client
//	wire.go       the server's side of a session, which may wait
//	watchdog.go   a test that makes no progress prints all goroutines
//
// Invariant: the time is virtual, and the random choices of the network depend on the seed.
//
// Each type with a lock says what it guards. No lock is held while another is taken.
package clustertest
