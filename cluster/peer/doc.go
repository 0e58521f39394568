// Package peer is the network between the nodes of a cluster. One port serves four kinds of connections: for
// messages of Raft, for the entries of Raft's log, for forwarded clients and for calls.
//
//	service.go    Service: what a node answers; the bodies of the calls
//	limits.go     Limits: how many connections there may be, and how large a message
//	security.go   Security: the secret and the certificates; where a node may listen
//	purpose.go    what a connection is for, and why a node refuses one
//	handshake.go  both ends prove that they belong to the cluster
//	dialer.go     Dialer: opens an authenticated connection to another node
//	port.go       Port: accepts, authenticates, dispatches
//	conns.go      the connections of the port: pending, open, counted
//	handoff.go    listeners that get the accepted connections of one kind
//	frame.go      the frames of calls, of published messages and of scripts
//	calls.go      the calls to another node, or to many
//	answer.go     answers the calls of another node
//	publisher.go  Publisher: sends published messages and scripts to the other nodes
//	proxy.go      forwards a client to another node, with the PROXY line
//	carrier.go    Carrier: the transport of Raft, and the receiver of entries
//	flight.go     which requests of a sender wait for their answers, and for how long
//	commits.go    tells a follower soon that its last entries are committed
//	pipeline.go   the sender of entries: it sends the next request before the previous answer arrives
//	entries.go    the format of a request with entries, and of its answer
//
// # The handshake
//
// With certificates, TLS comes first, and both ends show one. Then:
//
//	dialer    preface: magic, version, kind, group, flags, cluster, nonce (61 bytes)
//	acceptor  status; if that is 0 and there is a secret, a nonce (32 bytes)
//	dialer    if there is a secret: its proof (32 bytes)
//	acceptor  if there is a secret: status; if that is 0, its proof (32 bytes)
//
// A proof is an HMAC-SHA256 with the secret as its key. Its text is the role of the prover, the preface, and
// the nonce of the acceptor. With TLS, its text also has a value that belongs to this TLS connection only.
//
//   - Both ends know the secret. Nobody learns it from the bytes, and a recorded handshake opens no second
//     connection.
//   - A proof counts for one role, one kind, one group and one cluster. Nobody can use it for another one.
//   - The dialer proves first. So a stranger who connects gets nothing from which to guess the secret.
//   - A stranger on the path between two nodes can record proofs and try secrets against them. So the
//     secret must be random and long.
//   - There is no encryption. A stranger on the path can read the bytes after the handshake, and can change
//     them. Certificates prevent both.
//   - Each certificate of the certificate authority opens the peer port, also one that was made for a
//     client. So nodes have an authority of their own, or a secret too.
//
// # Calls and published messages
//
// A frame is, little-endian:
//
//	length u32    of the body
//	crc32c u32    of the operation and the body
//	operation u8
//	body          JSON, except for a published message and a script
//
// A message is sent at most once to each node. If the queue of a node is full, or the node cannot be
// reached, the message is dropped and counted.
//
// A node gets all scripts of SCRIPT LOAD when it is connected, and then each new one. So it knows them soon,
// also after a new start. No queue holds scripts: each link knows up to which one it has sent them.
//
// # Forwarded clients
//
// Package router relays the clients of proxy-port. For each client this package opens a connection to
// the leader, and writes a PROXY line with the true address of the client. The leader serves the client
// as if it had connected there. So MULTI, SELECT and AUTH need no code of their own.
//
// # Entries
//
// Raft's own transport encodes by reflection, and passes each message through several goroutines. This is
// most of the cost of an entry. So entries have connections and a format of their own. All other messages,
// which are rare, stay with Raft's transport.
//
// # Invariants
//
//   - Nothing of a connection is dispatched before the other end has proved itself. Until then a node reads
//     93 bytes besides TLS, and keeps no more. A handshake takes at most Security.Timeout. Proofs are
//     compared in constant time.
//   - Limits bounds each kind of connection, and a kind cannot take the places of another one. If more
//     connections than Limits.Pending authenticate at once, the oldest one is closed: an honest node needs
//     milliseconds.
//   - A reader refuses a length beyond its limit before it allocates. It allocates as the bytes come, not
//     as they promise.
//   - A frame with a wrong checksum ends the connection, because the reader does not know where the next
//     frame begins.
//   - The answers of a connection for entries have the order of its requests. A request that gets no answer
//     in time ends its connection. Raft then sends its entries again, one request at a time. A pipeline
//     that fails begins a pause.
//   - After Port.Close no connection of the port is open, and no goroutine of the port runs. The same is true for
//     Publisher.Close.
//   - No clock is read. Timers bound every step that waits for another node.
//
// # Locks
//
// No two of these locks are held at once, and none during input or output. connections.mu guards the
// connections and the handoffs. Publisher.mu guards the set of links, and link.mu a queue. pipeline.mu
// guards the number of requests in flight, pauses.mu the pauses.
package peer
