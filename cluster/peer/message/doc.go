// Package message frames the calls between nodes.
//
//	op.go       the operations
//	frame.go    Append writes a frame, Reader reads frames
//	publish.go  the body of a published message
//
// A frame is, little-endian:
//
//	length u32    of the body
//	crc32c u32    of the operation and the body
//	operation u8
//	body          JSON, except for a published message
//
// # Invariants
//
//   - A Reader refuses a length beyond the limit before it allocates.
//   - A Reader allocates at most twice the bytes that have arrived, and 4 kB.
//   - A frame with a wrong checksum ends the connection, because the reader does not know where the next frame begins.
//
// The package takes no locks.
package message
