// Package cluster is the life of this server as a node of a cluster. The node gets its place, takes part in a
// group, and serves the other nodes.
//
//	member.go    Member: New, Start, and what Stop ends
//	stop.go      Stop, which takes a bounded time
//	options.go   what the edge provides
//	facade.go    what the server sees of the cluster, also before the node has its place
//	place.go     gets the place: asks the other nodes until [roster.Decide] knows it
//	standing.go  what the node knows about its place
//	begin.go     starts the group at its place, and finds where the others reach the node
//	lives.go     the ends of a life of the node: the cluster removes it, or its disk fails; the next life
//	transport.go the message that hands the lead over: its timeout, and a late one
//	joining.go   asks the leader until this node votes
//	watch.go     follows the group: leaders, nodes, published messages
//	snapshots.go when a snapshot is due
//	service.go   what the other nodes ask this node
//	calls.go     what this node asks the others: CLUSTER MEET, FORGET and FAILOVER
//	vitals.go    asks the other nodes how they are, again and again
//	vital.go     their answers: how far they have applied the log, and their clocks
//	state.go     the state for a person on call
//	disk.go      the directory of the node: its id, its log, its snapshots
//	parts.go     removes the parts of snapshots that Raft leaves behind
//	reopen.go    opens the directory again, after its disk has failed
//	recover.go   Recovery: makes a node the only one of a new cluster
//
// # The way of a node
//
// New makes the parts, and Start opens the directory. Then one goroutine asks the nodes of cluster-nodes,
// until [roster.Decide] says what to do. Until then clients get LOADING. After that the group of package
// group does the work, and other goroutines follow it until Stop.
//
// # Invariants
//
//   - The id is on disk before Raft starts.
//   - A node votes only after the first node timeout of each of its lives: until then others may rely on
//     promises that this node no longer knows.
//   - The directory is marked clean only after the log was closed without an error.
//   - A node whose disk has failed does not take part until the disk works again. It reports this.
//   - A node that cannot go on, and would wait in vain, ends its process. The error says why.
//
// # Locks
//
// place.mu guards the standing of the node. vitals.mu guards what the others said. No goroutine holds a lock
// while it asks a node, and none holds both locks. snapshotStore.mu is held while a snapshot begins, and no
// other lock is taken inside it.
package cluster
