// Package set is the structure of a set: members without an order. It knows no key and no store.
//
// # Files
//
//	set.go      Set: reading a set of any form
//	change.go   the description of the type: how a set changes
//	ints.go     the form ints, of integers
//	forms.go    the other forms, small and large
//
// # Invariants
//
//   - A set of integers begins as an ints, and stays one up to the number of members in [value.Limits].
//   - A small has its members in the order in which they were added. Those that it had as an ints come
//     first, in ascending order.
//   - A set changes its form as it grows, from ints to small to large, and never back.
//
// # Locks
//
// No locks. The store guards each set with the lock of its key's partition.
package set
