// Package bounded serves HTTP on one address, with bounds.
//
//	listener.go   Listener: opens, moves and closes the address
//	connections.go      the open connections, and which of them make room
//	deadlines.go  makes the deadlines of net/http cheap
//	head.go       AddLines: headers that cost little
//
// A handler does the rest. The bounds are the number of connections, the bytes of a request's headers, and the time of
// a request. If all connections are in use, a new one takes the place of the connection that has been idle for longest.
// Requests that were already read from that connection get their replies first. If no connection is idle, it takes the
// place of one that has not sent its whole request. Otherwise the new one waits, and further ones wait in the backlog
// of the system.
//
// Invariants: no more connections are open than the bounds say. A request that was read gets its reply.
//
// Locks: Listener.mu guards the address, and is held while a listener opens or closes. connections.mu guards the connections, and
// is held for a few steps.
package bounded
