// Package formation decides how a node that starts gets its place. It founds a cluster with the others,
// joins one, or goes on with its own disk. The package sends nothing and writes nothing. Its input is what
// each node says about itself.
//
//	address.go   the ids of founders
//	standing.go  Standing: what a node says about its place; Answer: what a node heard from another one
//	decide.go    Decide: from the answers to a Decision
//	rules.go     the rules of Decide for a node without a place
//	reasons.go   the sentences of a Decision
//	report.go    Report: which decisions are worth a log line
//
// # The rules
//
//  1. A node with a disk that may vote goes on with it.
//  2. Two listed addresses that reach the same node are an error. A node knows itself by the random number of its run.
//  3. If a listed node is in a cluster, this node joins that cluster with a new id.
//  4. If every listed node answers, and none of them has ever voted, this node founds the cluster. Its voters are the
//     listed nodes. Their ids are made of the list and of their address. So every founder has the same voters.
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
//   - Founding and joining write the id to disk before Raft starts. So a node that stops in between goes on with that id.
//   - A node is Founding while its term is the term of the first entry. From the next term on it is a Member.
//   - A node that joined asks the leader until it votes, also after a restart.
//   - A disk that may not vote any more makes the node Returning, also if it did not know its cluster yet.
//
// # Invariants
//
//   - A decision is a function of its arguments.
//   - A node whose disk was moved away never founds a cluster, because a cluster with its data exists or existed.
//   - Each decision has one sentence that says why.
//
// The package takes no locks.
package formation
