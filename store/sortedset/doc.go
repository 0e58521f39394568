// Package sortedset is the structure of a sorted set: members in the order of their scores. It
// knows no key and no store.
//
// # Files
//
//	set.go     Item and Set: reading a set of either form
//	change.go  the description of the type: how a sorted set changes
//	small.go   the compact form
//	large.go   the large form
//
// # Invariants
//
//   - A small set is one block, in order. It has at most as many members as [value.Limits] say, and no member
//     is longer than they say. A set that exceeds them becomes large, and stays so.
//   - A large set is a tree and a map with the same members. They share the strings of the members. A fork
//     takes the map along; then the set makes another one when it is needed.
//   - No score is NaN, which has no place in an order.
//
// # Locks
//
// No locks. The store guards each set with the lock of its key's partition.
package sortedset
