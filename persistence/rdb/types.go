package rdb

import (
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// codecs has one row for each type that the server keeps. Everything else finds a type through this table.
var codecs = [...]*codec{
	&stringCodec,
	&sortedSetCodec,
	&hashCodec,
	&setCodec,
	&listCodec,
}

// typeInfo says what to do with a type byte.
type typeInfo struct {
	name  string   // "": Redis has no such type
	read  readFunc // nil: unsupported
	empty func(*Value) bool
	skip  skipFunc // nil: a supported type, or the value does not say where it ends
}

// types has every type byte that Redis writes; byKind has the codec of each kind that a store holds.
var types, byKind = func() (types [256]typeInfo, byKind [256]*codec) {
	for b, u := range unsupportedTypes {
		types[b] = typeInfo{name: u.name, skip: u.skip}
	}
	for _, c := range codecs {
		for b, read := range c.reads {
			types[b] = typeInfo{name: c.name, read: read, empty: c.empty}
		}
		for _, k := range c.kinds {
			byKind[k] = c
		}
	}
	return types, byKind
}()

// valueWriter writes the values of a kind.
type valueWriter struct {
	typeByte byte
	write    func(*store.Image) // without the type byte
}

// newWriters returns the writers that append values to e, by kind.
func newWriters(e *encoding.Encoder) (writers [256]valueWriter) {
	for _, c := range codecs {
		write := c.newWriter(e)
		for _, k := range c.kinds {
			writers[k] = valueWriter{c.writes, write}
		}
	}
	return writers
}

// readValue reads a value of a supported type.
func (t *typeInfo) readValue(d *encoding.Decoder, v *Value) error {
	v.reset()
	return t.read(d, v)
}

// isEmpty reports whether a value from a file has no elements.
func (t *typeInfo) isEmpty(v *Value) bool { return t.empty != nil && t.empty(v) }

// Put replaces the value of an entry, which then expires at expireAt (Unix milliseconds, or
// [store.NoExpiry]). A value of kind None does nothing.
func (v *Value) Put(e *store.Entry, expireAt int64) {
	if c := byKind[v.Kind]; c != nil {
		c.put(v, e, expireAt)
	}
}
