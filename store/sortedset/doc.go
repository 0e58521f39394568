// Package sortedset is the structure of a sorted set: members in the order of their scores. It
// knows no key and no store. It is the example of a type; see docs/adding-a-type.md.
//
// # Files
//
//	set.go     Item, Limits and Set: making, reading and changing a set
//	removerange.go   removing a range of ranks
//	copy.go    copies of a set
//	change.go  the description of the type: how a sorted set changes
//
// # Invariants
//
//   - The compact form is a slice in order. The large form is a tree and a map with the same
//     members. A set has one of the two; the large form stays. A fork takes the map along; then
//     the set makes another one when it is needed.
//   - The tree and the map share the strings of the members.
//   - Bytes is the sum over all members, updated with each change.
//   - No score is NaN, which has no place in an order.
//
// # Locks
//
// No locks. The store guards each set with the lock of its key's partition.
package sortedset
