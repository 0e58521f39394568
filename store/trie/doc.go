// Package trie is a map of byte strings for large hashes and sets. It is made of many small blocks. Copies
// share what does not change, so a copy costs nothing, and a change of a shared map copies a path.
//
// # Files
//
//	map.go      Map: reading it, in the order of the hashes of its keys
//	change.go   changing it
//	leaf.go     a leaf: the blocks of few entries
//
// # Invariants
//
//   - The keys of a node share the leading digits of their hashes, one digit a level.
//   - A leaf above the deepest level has at most leafMost entries, and an inner node more than leafLeast.
//   - A node that a map does not own is never changed: other maps may share it.
//   - Bytes is the sum over all nodes, updated with each change.
//
// # Locks
//
// No locks. The store guards each map with the lock of its key's partition. While one goroutine changes a
// map, others may read maps that share nodes with it.
package trie
