// Package value says what a key can hold: the kinds of values, and what a type with members
// must offer the store.
//
// An integer and a string are not collections; the store keeps them itself. Every other type
// is a [Collection] in a package of its own, such as store/sortedset.
//
// To add a type, add a Kind and its row to kinds in kind.go, and write its package with its
// description, a [Type]. The whole way is in docs/adding-a-type.md.
//
// # Files
//
//	kind.go         Kind, and one row a kind
//	collection.go   Collection, the interface of a type with members
//	type.go         Type, the description of a type, and Change, a way to change a value
//
// # Invariants
//
//   - A kind fits in three bits, because a cell has three bits for it.
//   - A Type does not change after the start.
//
// # Locks
//
// No locks. The store guards every value with the lock of its partition.
package value
