// Package resp turns bytes into commands and replies into bytes, for RESP2 and RESP3. It opens no socket and
// knows no command.
//
// The protocol: https://redis.io/docs/latest/develop/reference/protocol-spec/
//
// # The way through
//
// A driver owns the bytes. It reads into [Session.Space], calls [Session.Filled], and sends
// [Session.Output]. Package transport is the driver for sockets; tests and fuzzers drive a session directly.
// The session finds the commands in its input, gives each to the [Handler], and the handler writes the
// reply with a [Writer].
//
//	session.go      Session: runs a batch of commands, keeps their replies
//	input.go        the bytes received, and the search for the next command
//	parser.go       finds a command that may arrive in many pieces, and splits the inline form
//	limits.go       the bounds of a request, and the errors for what exceeds them
//	handler.go      Handler and Status: between a session and the commands
//	writer.go       Writer: one method for each kind of reply
//	buffer.go       the writer's buffer: its segments and its limit, marks, truncation
//	reply.go        Reply: reads a reply that is whole
//
// Three files are for speed alone. Without them every reply is the same, so a reader can skip them.
//
//	plain.go        reads a short, complete command in one pass
//	lookahead.go    finds the next commands early, so that their keys can be prefetched
//	lend.go         reads into a buffer of the driver
//
// # Invariants
//
//   - A session parses requests as Redis 7.0 does, with the same tolerance. It does not check the two
//     bytes after an argument and the byte after a header's CR. A NUL byte hides the end of its line.
//   - Memory grows with the bytes received, never with the length that a header claims.
//   - Replies never exceed the limit of LimitOutput. A session over it frees its output and closes.
//   - The same bytes give the same replies, in however many reads they arrive.
//   - Output holds whole replies only: after Retry, Offload or a panic, the session removes the partial reply.
//
// There are no locks. One goroutine at a time uses a Session or a Writer.
package resp
