// Package packed is a sequence of byte strings in one block of memory without pointers. Small
// hashes, sets and lists are one such block, and the large ones have many of them.
//
// # Files
//
//	list.go      List: the block, reading and changing it
//	element.go   how a byte string lies in a block
//
// # Invariants
//
//   - A block has the room that its size asks for ([List.Bytes]). A change that needs more or less room
//     moves the list to another block.
//   - Equal byte strings have equal elements.
//
// # Locks
//
// No locks. The store guards each value with the lock of its key's partition.
package packed
