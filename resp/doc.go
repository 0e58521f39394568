// Package resp is the wire of the Redis protocol: bytes become commands, replies become bytes.
// It knows no command.
//
//   - [Session] is the protocol without sockets: whoever owns the bytes reads into [Session.Space],
//     says [Session.Filled], and sends [Session.Output]. Tests and fuzzers drive it as it is.
//   - [Writer] builds replies in the client's protocol version, RESP2 or RESP3.
//   - [Server] and [Conn] carry sessions over sockets: on Linux an event loop for each processor, elsewhere,
//     for TLS, and wherever something is to be waited for, a goroutine over any [net.Conn].
//
// Requests are read as Redis 7.0 reads them, its looseness included: the two bytes after a bulk and
// the byte after a header's CR are skipped unseen, and a NUL hides the end of its line.
// Whatever arrives, memory grows with the bytes received and never with the lengths they claim.
//
// The protocol: https://redis.io/docs/latest/develop/reference/protocol-spec/
package resp
