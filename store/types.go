package store

import (
	"cellserver/store/sortedset"
	"cellserver/store/table"
	"cellserver/store/value"
)

// The values that a key can hold. A new type has its kind here, and a file entry_<type>.go; see
// docs/adding-a-type.md.
type (
	// Kind is the type of a key's value.
	Kind = value.Kind
	// Collection is a value with members.
	Collection = value.Collection
	// SortedSet is the value of a key of kind Sorted.
	SortedSet = sortedset.Set
	// Item is one member of a sorted set with its score.
	Item = sortedset.Item
	// Image is a key as a [Snapshot] saw it, or as an [Entry] is.
	Image = table.Image
	// Undo takes one change back. Until [Store.Revert] or [Store.DropUndo] has got it, it belongs
	// to the store: nobody may change what it refers to.
	Undo = table.Undo
)

// The kinds of values. An integer is a kind of its own: counters and TATs are cells.
const (
	None   = value.None   // no such key
	Int    = value.Int    // a string that is a canonical int64
	Raw    = value.Raw    // any other string
	Sorted = value.Sorted // a sorted set
)

// NoExpiry is the expiry of a key that does not expire.
const NoExpiry = table.NoExpiry
