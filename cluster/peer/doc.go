// Package peer is the network between the nodes of a cluster. One port serves four kinds of connections: for
// messages of Raft, for the entries of Raft's log, for forwarded clients and for calls.
//
//	service.go    Service: what a node answers; the bodies of the calls
//	limits.go     Limits: how many connections there may be, and how large a message
//	dialer.go     Dialer: opens an authenticated connection to another node
//	calls.go      the calls to another node
//	ask.go        asks many nodes who they are
//	conns.go      the connections of the port: pending, open, counted
//	handoff.go    listeners that get the accepted connections of one kind
//	answer.go     answers the calls of another node
//	port.go       Port: accepts, authenticates, dispatches
//	publisher.go  Publisher: sends published messages to the other nodes
//	link.go       the queue and the connection to one of them
//
// Package handshake says how a connection begins, package message how a call is framed, and package forward
// how a client is relayed.
//
// # Bounds
//
// Limits has them. If more connections than Limits.Pending authenticate at once, the oldest one is closed:
// an honest node needs milliseconds. A kind of connection cannot take the places of another one.
//
// # Published messages
//
// A message is sent at most once to each node. If the queue of a node is full, or the node cannot be
// reached, the message is dropped and counted.
//
// # Invariants
//
//   - Nothing of a connection is dispatched before the other end has proved itself.
//   - After Port.Close no connection of the port is open, and no goroutine of the port runs. The same is true for
//     Publisher.Close.
//   - No clock is read. Timers bound every step that waits for another node.
//
// # Locks
//
// No two of these locks are held at once, and none during input or output. connections.mu guards the
// connections and the handoffs. Publisher.mu guards the set of links. link.mu guards a queue.
package peer
