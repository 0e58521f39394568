// Package group makes several servers hold the same keys. One node leads: it runs commands at once, and
// the effects go to the log of hashicorp/raft. Replies wait until a majority of the nodes has their effects.
// So the group may lose a node, and every reply that was sent stays valid.
//
// A [Group] has all that belongs to one log: its epochs, the changes that wait for a majority, its lease, its
// time and its roster. Package cluster has what belongs to the server. A server in several groups would have
// several of these values.
//
//	options.go   what package cluster provides
//	group.go     Group: start and stop
//	parts.go     what anyone may read of a group; how its goroutines, and its calls to raft, end
//	config.go    raft's configuration; its messages go to the server's log
//	epoch.go     the epochs: the times for which a node leads, their beginning and their end
//	voting.go    whose votes count
//	silence.go   followers notice the loss of a leader early
//	proposer.go  the effects of transactions become batches, and batches become entries of the log
//	queue.go     the batches: what becomes entries of the log, and what was proposed already
//	waiters.go   the replies that wait, sorted by the batch that they need
//	gathering.go a batch waits for more effects
//	late.go      changes that come too late
//	scripts.go   ends scripts that hold keys for too long
//	fsm.go       what a committed entry does
//	state.go     which entries count; steps that tests replace
//	level.go     the feature levels: which forms of entries and snapshots a release knows
//	feature.go   a leader raises the level
//	barrier.go   which replies wait, and for what
//	lease.go     until when a leader may answer from its memory
//	fresh.go     how old the keys of a follower are
//	clock.go     the time of the log
//	skew.go      a clock that differs from the others
//	snapshot.go  the keyspace of one moment for raft, and back
//	sink.go      one snapshot, and its writer: it pauses for clients, and fails when the node stops
//	found.go     the first members; the only node of a new cluster, from the keys of a disk or of a file
//	rebuild.go   the keyspace again from the last snapshot and the log
//	members.go   nodes that join; one change of the members at a time
//	removal.go   nodes that are removed
//	giveway.go   a leader lets another node lead
//	stall.go     a leader whose disk does not answer
//	view.go      the cluster as clients see it
//	answers.go   what the server asks: the epoch, the time, a snapshot, numbers for INFO and for metrics
//	counts.go    what a node counts
//
// # The way of a write
//
// A command runs on the leader as on a single server. [Group.Committed] gets its effects while the locks are
// held, and appends them to a batch. At the end of a turn the replies wait for the batch. Then the proposer
// gives it to raft as an entry. When raft has it on a majority of nodes, it calls Apply of machine on every
// node, in the order of the log. On the leader the effects are in the store already, so Apply only confirms
// them: replies leave. On all other nodes Apply changes the store.
//
// # Epochs
//
// A node that raft elects proposes an entry of kind EpochBegins first. Its epoch begins when that entry is
// applied. It ends when raft elects another node, or when an entry fails. Then the store may have effects
// that no other node has. When the next epoch of any leader begins, these effects can no longer be
// committed. Then the node takes them back.
//
// # Invariants
//
//   - The store is what the log says up to the last applied entry. On a leader the effects of the
//     unconfirmed batches follow, in their order.
//   - A reply leaves only after everything from which it was computed is committed. It also needs a proof
//     that the node has led until then. Otherwise the node closes the connection.
//   - Each batch has the number after that of the batch before. A batch does not change after it was taken.
//   - Commands change keys only in an epoch. They check this while they hold their locks.
//   - An entry counts only in the term in which it was proposed, and only if its number follows that of the
//     entry before. All nodes drop every other entry.
//   - An entry that cannot be applied stops the node.
//   - A leader writes no form of an entry that is newer than the feature level. All members know this
//     level, and it never falls.
//   - The time of the log never goes back. Each node may remove keys by itself that had expired at
//     [Group.Horizon]: no later leader sees such a key.
//   - One goroutine applies entries: that of raft's FSM. It never waits for a client. For a script it waits
//     less than a NodeTimeout.
//
// # Locks
//
// Group.mu guards what its comment says. It is taken while partitions of the store are locked, so no
// goroutine locks a partition or waits for raft while it holds Group.mu. A call that changes who takes part
// has the only place of Group.members until raft has answered. It holds no lock meanwhile.
package group
