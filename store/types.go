package store

import (
	"cellserver/store/hash"
	"cellserver/store/list"
	"cellserver/store/set"
	"cellserver/store/sortedset"
	"cellserver/store/table"
	"cellserver/store/value"
)

// types has the description of every type of collections. Everything else finds a type through this table.
var types = [...]*Type{
	sortedset.Type,
	hash.Type,
	set.Type,
	list.Type,
}

// typeOf has the description of each kind that is a collection.
var typeOf = func() (all [8]*Type) {
	for _, t := range types {
		all[t.Kind] = t
	}
	return all
}()

// Types returns the descriptions of all types of collections.
func Types() []*Type { return types[:] }

// TypeOf returns the description of a kind, nil if it is no kind of collections.
func TypeOf(k Kind) *Type { return typeOf[k] }

// The values that a key can hold. A new type has its kind here; see docs/adding-a-type.md.
type (
	// Kind is the type of a key's value.
	Kind = value.Kind
	// Collection is a value with members.
	Collection = value.Collection
	// Type describes a type of collections.
	Type = value.Type
	// Change is a way to change a collection.
	Change = value.Change
	// Operands are the arguments of a change.
	Operands = value.Operands
	// Limits bound the compact forms of collections.
	Limits = value.Limits
	// SortedSet is the value of a key of kind Sorted, to be read.
	SortedSet = sortedset.Set
	// Item is one member of a sorted set with its score.
	Item = sortedset.Item
	// Image is a key as a [Snapshot] saw it, or as an [Entry] is.
	Image = table.Image
	// Undo takes one change back. Until [Store.Revert] or [Store.DropUndo] has got it, it belongs
	// to the store: nobody may change what it refers to.
	Undo = table.Undo
	// UndoList is a list of undos, in few bytes.
	UndoList = table.UndoList
)

// The kinds of values. An integer is a kind of its own: counters and TATs are cells.
const (
	None   = value.None   // no such key
	Int    = value.Int    // a string that is a canonical int64
	Raw    = value.Raw    // any other string
	Sorted = value.Sorted // a sorted set
	Hash   = value.Hash   // a hash
	Set    = value.Set    // a set
	List   = value.List   // a list
)

// NoExpiry is the expiry of a key that does not expire.
const NoExpiry = table.NoExpiry

// ExpiryOfTAT returns the expiry (Unix milliseconds) of a key whose integer is a TAT (Unix nanoseconds).
func ExpiryOfTAT(tat int64) int64 { return table.CeilMillis(tat) }
