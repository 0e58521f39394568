// Package roster knows the nodes of a cluster: who they are, who takes part, and how they are. It decides
// how a node gets its place among them. The package sends nothing. Its input is what the log says, and what
// each node says about itself.
//
//	ids.go       the ids of nodes and clusters
//	identity.go  Identity: what a node knows about itself, and its file
//	start.go     OpenIdentity: the rule of a start, and the replacement of a directory
//	decide.go    Standing: what a node says about its place; Decide: from the answers to a Decision
//	rules.go     the rules of Decide for a node without a place, and their sentences
//	roster.go    Roster: the nodes of one group, and the view of the cluster that clients get
//	state.go     State: what a node knows about its cluster, as JSON
//	describe.go  Describe: the state as a page of text, for a person on call
//	table.go     the table of the nodes
//	advice.go    what to do
//
// # The id of a node
//
// The votes and acknowledgements of a node are promises of its id. A node whose directory has lost some of
// these promises must not use the id again. Otherwise the cluster could elect two leaders in one term, or
// lose what a client was told. So a node takes a new id when its directory is new, or when a power cut may
// have emptied the page cache. It also does so when the cluster has removed it, and then waits for an
// invitation ([ForgetIdentity]).
//
// The directory of a node has the file node beside the files of Raft. It is JSON:
//
//	{"id":"…","cluster":"…","incarnation":1,"boot_id":"…","durable":false,"clean":false}
//
// [OpenIdentity] runs before the log is opened, [MarkClean] after it was closed without an error.
//
// # The rules of a place
//
//  1. A node with a disk that may vote goes on with it.
//  2. Two listed addresses that reach the same node are an error. A node knows itself by the random number
//     of its run.
//  3. If a listed node is in a cluster, this node joins that cluster with a new id.
//  4. If every listed node answers, and none of them has ever voted, this node founds the cluster. Its
//     voters are the listed nodes. Their ids are made of the list and of their address. So every founder
//     has the same voters.
//  5. Otherwise the node waits.
//
// # Why there are never two clusters
//
// The founders of a list start Raft with the same voters under the same ids, and Raft elects one leader
// among them. So all founders found the same cluster, even at different times. If the lists of two nodes
// differ, both nodes report an error before either of them founds a cluster.
//
// # Why no id votes with two disks
//
// A founder whose disk is lost may have voted. Then the candidate that got its vote is no longer in the
// phase Founding. So rule 4 does not hold, and the founder joins with a new id. A node that heard of that
// candidate has left the phase Founding, too.
//
// # What the caller keeps
//
//   - Founding and joining write the id to disk before Raft starts. So a node that stops in between goes on
//     with that id.
//   - A node is Founding while its term is the term of the first entry. From the next term on it is a Member.
//   - A node that joined asks the leader until it votes, also after a restart.
//   - A disk that may not vote any more makes the node Returning, also if it did not know its cluster yet.
//
// # Invariants
//
//   - An id belongs to one directory only, and is never used again after that.
//   - A decision is a function of its arguments, and has one sentence that says why.
//   - A node whose disk was moved away never founds a cluster, because a cluster with its data exists or
//     existed.
//   - A View does not change after it was made.
//   - Every problem that Describe shows has a line that says what to do.
//
// The package takes no locks: the owner of a Roster does. One goroutine of one process uses a directory.
package roster
