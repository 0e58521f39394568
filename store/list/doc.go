// Package list is the structure of a list: elements in the order in which commands have put them. It knows
// no key and no store.
//
// # Files
//
//	list.go     List: reading a list of either form
//	change.go   the description of the type: how a list changes
//	forms.go    the two forms, small and large, and when one becomes the other
//	tree.go     the tree of a large list: its nodes, and how they are read
//	put.go      how a tree gets an element
//	cut.go      how a tree loses its ends
//	remove.go   how a tree loses the elements that equal another one
//
// # Invariants
//
//   - A small list is one block. It has at most as many elements and bytes as [value.Limits] say, or one element.
//   - A large list is a tree. All its leaves are at the same depth, and each leaf is such a block. No node is empty.
//     The root has several children. A list that fits in one leaf is small again.
//   - A change reads and moves at most mostElements elements, and mostBytes bytes, of each leaf that it touches.
//   - A node belongs to one list, or to several, which then copy it before they change it.
//
// # Locks
//
// No locks. The store guards each list with the lock of its key's partition.
package list
