// Package follow makes this server a replica of another one: REPLICAOF. It connects the protocol of package
// replica with the server, its store and its disk.
//
//	follow.go  Following: begins and ends, and what a restart remembers
//	kept.go    the key that says whom the server follows
//	cluster.go REPLICAOF in a cluster: the leader follows
//	target.go  takes the full copy, and runs the commands
//	pour.go    makes the full copy the keys of a cluster, part by part
//	peer.go    the master as a client of this server
//
// # Invariants
//
//   - While the server follows, clients do not write. The change of sides is one moment:
//     [server.Server.SetFollower].
//   - A copy replaces the keys when it is whole, and only then.
//   - A key of the server's own database says whom the server follows, or whom it has left. Only a clean
//     stop adds the position to it, and the next start takes the position out before a command changes a key.
//
// # In a cluster
//
// The key is replicated as all keys are, so each node knows it, and no client reaches it. It says `follows`
// or, while the keys of a full copy are incomplete, `copies`. Each transaction of the master's commands has
// the key with the position after them, so no node has one without the other. A node that applies the key
// is read-only, and keeps expired keys. A new leader has applied all entries before it serves: it is
// read-only from its first moment, and continues at the position of the key. Without a position, it takes
// another full copy.
//
//   - A link belongs to one epoch and to one turn: its commands run in them alone. REPLICAOF ends the turn in
//     the transaction that changes the key.
//   - A node that leads takes writes after REPLICAOF NO ONE once a majority has that, also if another
//     REPLICAOF has waited meanwhile. If its epoch ends before, the log says what holds.
//   - A node that follows nobody does nothing: an epoch that begins or ends, a change of the key and the end
//     of the link wake it.
//   - The master gets confirmations of what a majority has.
//   - A move that has stopped says why in the key, and no later leader begins again before another REPLICAOF.
//
// # Locks
//
// Following.mu is held while the server begins or ends to follow. The locks of the store, the server and the
// disk are taken inside it. Following.applying is held while the server follows what the key says. Partitions
// are locked inside it, and it is never taken while one is locked.
package follow
