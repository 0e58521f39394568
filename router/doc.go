// Package router carries commands of many clients to the servers behind them: to one cellserver, or to the
// leader of a cluster. Here these servers are the hub.
//
//	frame.go    finds where a reply ends
//	request.go  Request: a command on its way, and who waits for its reply
//	link.go     a connection to one node; requests leave together, replies come in their order
//	hello.go    the first words on a connection: who it is
//	user.go     User: the connections of one user of the hub
//	own.go      Own: the connection of one client with a state
//	hub.go      Hub: the nodes, the users, and which node leads
//	watch.go    asks whether the hub answers
//	relay.go    Relay: carries the bytes of whole clients, as proxy-port of a cluster does
//
// A request goes to the node that leads. If the node answers MOVED, the Hub follows it, once, and remembers
// the new leader. Where a script may have written the reply, the node must be known. A client never sees
// MOVED. If a connection fails, its requests are lost, and the Hub tries the next address. It never sends a
// request twice by itself: only its sender knows whether that does harm.
//
// A hub is one group of slots. With several groups, leader would be a table of ranges.
//
// # Invariants
//
//   - The requests of one User on one lane reach the nodes in their order, also while the leader changes. A
//     request waits until the connection to the former leader has its replies, or has ended.
//   - The replies of one User on one lane come in the order of the requests. Only the reply to a request
//     that was MOVED comes later.
//   - Each request gets one end: its last reply, or its loss.
//   - Memory does not grow with the length of a reply: it passes in pieces.
//   - A password stays in memory only while a User has clients.
//   - A connection has the rights of its user alone. No connection has two users.
//
// # Locks
//
// Hub.mu guards the users and the leader. User.mu guards its links, and is taken before Hub.mu. link.mu
// guards what waits on a connection. No lock is held while a Sink is called.
package router
