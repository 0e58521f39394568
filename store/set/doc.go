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
//   - A set of integers is a sorted block, up to the number of members that [value.Limits] say.
//   - Another small set is one block, in the order in which its members were added. Integers that it had before its first
//     text come first, in ascending order.
//   - A set changes its form as it grows, from Ints to Small to Large, and never back.
//
// # Locks
//
// No locks. The store guards each set with the lock of its key's partition.
package set
