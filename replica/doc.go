// Package replica follows a Redis or a Valkey as its replicas do: PSYNC. It knows the protocol, and nothing
// of keys. A [Target] takes the copy and the commands.
//
//	link.go      Link: connects, follows, and connects again
//	session.go   one connection: the stream of commands, and the confirmations
//	handshake.go what a replica says first
//	copy.go      where the full copy ends
//	reader.go    reads lines and commands, and counts their bytes
//	state.go     State: what INFO and ROLE show; Position: where to continue
//	target.go    Target, and errors after which the link does not try again
//
// # The way of a link
//
// A session greets the master and asks it to continue at the position of the last command. If the master
// cannot, it sends a full copy. Then commands follow without an end. A link that breaks begins another
// session after a pause. A [Stop] ends the link: the target cannot take what the master sent.
//
// # Invariants
//
//   - The position moves when the target has run a command, and never inside MULTI. So the next session
//     begins where the last one has left the keys.
//   - Memory grows with the bytes that arrive, not with the lengths that the master claims. One command has
//     at most the bytes of MaxCommand.
//   - The link reads the next command when the target has run the last one. So a slow target slows the
//     master's output, and holds nothing in memory.
//   - A confirmation has the last offset that the target has called safe ([Target].Rest).
//   - No clock is read: [Options] has one.
//
// # Locks
//
// Link.mu guards what State returns. The lock of a session is held during one write. They are not held at
// once.
package replica
