// Package set is the structure of a set: members without an order. It knows no key and no store.
//
// # Files
//
//	set.go      Set: reading a set of any form
//	change.go   the description of the type: how a set changes
//	ints.go     the form Ints, of integers
//	forms.go    the other forms, Small and Large
//
// # Invariants
//
//   - A set of integers begins as an Ints, and stays one up to the number of members in [value.Limits].
//   - A Small has its members in the order in which they were added. Those that it had as an Ints come
//     first, in ascending order.
//   - A set changes its form as it grows, from Ints to Small to Large, and never back.
//
// # Locks
//
// No locks. The store guards each set with the lock of its key's partition.
package set
