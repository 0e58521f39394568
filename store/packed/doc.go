// Package packed is a sequence of byte strings in one block of memory without pointers. Small
// collections are one such block, and the large ones have many of them.
//
// # Files
//
//	list.go      List: the block, reading and changing it
//	element.go   how a byte string lies in a block, and a number
//	pairs.go     Pairs: the elements of a hash or of a sorted set
//
// # Invariants
//
//   - A new block has the room that its size asks for. A list that shrinks keeps its block, until too much of
//     it is spare ([List.Bytes]).
//   - Equal byte strings have equal elements.
//   - A list of pairs that knows the size of its last pair reads that pair without a walk.
//
// # Locks
//
// No locks. The store guards each value with the lock of its key's partition.
package packed
