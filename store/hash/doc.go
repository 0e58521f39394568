// Package hash is the structure of a hash: fields with their values. It knows no key and no store.
//
// # Files
//
//	hash.go     Hash: reading a hash of either form
//	change.go   the description of the type: how a hash changes
//	forms.go    the two forms, small and large
//
// # Invariants
//
//   - A small hash is one block, in the order in which its fields were added. It has at most as many fields as
//     [value.Limits] say, and no field or value is longer than they say.
//   - A hash that exceeds them becomes large, and stays so. A large hash has the order of its fields' hashes.
//
// # Locks
//
// No locks. The store guards each hash with the lock of its key's partition.
package hash
