package rdb

import (
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// codec reads and writes one type of value, for files and payloads. To add a type, write a file with its
// codec. Give the codec a row in the table codecs, and give Value the fields that the codec fills.
type codec struct {
	name  string       // the type in errors and counts
	kinds []store.Kind // the kinds of values that the codec writes

	// writes is the type byte that newWriter's function writes a value for.
	writes byte
	// newWriter returns a function that appends a value to e, without its type byte. A [Writer] calls
	// newWriter once, so the function may keep buffers and callbacks: then no value costs an allocation.
	newWriter func(e *encoding.Encoder) func(*store.Image)

	// reads has a function for each type byte that is read. It fills a Value that was reset.
	reads map[byte]readFunc
	// empty reports whether a value has no elements: files may hold such values, stores do not. Nil: never.
	empty func(*Value) bool
	// put replaces the value of an entry, which then expires at expireAt.
	put func(v *Value, e *store.Entry, expireAt int64)
}

// readFunc reads a value. Its error is an [Error].
type readFunc func(*encoding.Decoder, *Value) error

// Value is the value of a key. Its slices are borrowed: they are valid until the next read.
type Value struct {
	Kind  store.Kind // None: the value was left out
	Int   int64      // of kind Int
	Bytes []byte     // of kind Raw
	Parts Parts      // of a collection
}

// reset empties a value. It keeps the memory of its elements for the next value.
func (v *Value) reset() { *v = Value{Parts: v.Parts.reset()} }
