// Package forward relays the connections of clients to another node.
//
//	header.go  the PROXY line, which names the true address of a client
//	relay.go   Relay: bytes both ways
//	proxy.go   Proxy: the clients of proxy-port, which are cut when the leader changes
//
// A Proxy knows where the leader is. It opens a connection to the leader for each client, writes the PROXY
// line, and relays. The leader serves the client as if it had connected there. So MULTI, SELECT and AUTH
// need no code of their own.
//
// # Invariants
//
//   - A client is relayed to one leader only. If the leader changes, the client is cut, and connects again.
//   - A client without a leader gets CLUSTERDOWN, and is cut.
//   - There are at most as many relays as New allows.
//
// # Locks
//
// Proxy.mu guards the leader and the relays. It is not held during input and output.
package forward
