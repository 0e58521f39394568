// Package follow makes this server a replica of another one: REPLICAOF. It connects the protocol of package
// replica with the server, its store and its disk.
//
//	follow.go  Following: begins and ends, and what a restart remembers
//	target.go  takes the full copy, and runs the commands
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
// # Locks
//
// Following.mu is held while the server begins or ends to follow. The locks of the store, the server and the
// disk are taken inside it.
package follow
