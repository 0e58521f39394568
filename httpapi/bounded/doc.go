// Package bounded serves HTTP on one address, with bounds.
//
//	listener.go   Listener: opens, moves and closes the address
//	connections.go   the open connections, and which of them make room
//	body.go       requests that no handler may count, and bodies that the handler does not read
//
// net/http does the rest. The bounds are the number of connections, the bytes of a request's headers, and
// the time of a request. If all connections are in use, a new one displaces one that has no whole request.
// If an eighth of all connections has sent a part of a request, the oldest of these goes. Otherwise the
// connection goes that has been idle for longest. While a handler reads the body of a request, its connection
// stays. If every connection has a request, the new one waits, and
// further ones wait in the backlog of the system.
//
// netutil.LimitListener bounds connections, too, but displaces none. Measured: 200 clients sent half of a
// request, and the bound was 50. There another client waited for more than 30 s, and here for less than 1 ms.
//
// A listener with TLS keeps the same bounds. A handshake lasts at most as long as a request, and makes
// room as an unfinished request does.
//
// Invariants: no more connections are open than the bounds say. An idle connection is displaced before the
// first byte of a request or not at all. A handler gets no request of a connection that made room.
//
// Locks: Listener.mu guards the address, and is held while a listener opens or closes. connections.mu guards
// the connections, and is held for a few steps.
package bounded
