package hash

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Small is the compact form: a field, its value, the next field, and so on. It is the beginning of a block of
// memory, so it must never be copied; use the pointer.
type Small struct{ list packed.List }

// Large is the form of a hash that exceeds the limits.
type Large struct{ fields *trie.Map }

// smallOf returns a list of fields and values as a hash, without a copy.
func smallOf(l *packed.List) *Small { return (*Small)(unsafe.Pointer(l)) }

// Kind returns [value.Hash].
func (*Small) Kind() value.Kind { return value.Hash }

// Kind returns [value.Hash].
func (*Large) Kind() value.Kind { return value.Hash }

// Len returns the number of fields.
func (s *Small) Len() int { return s.list.Len() / 2 }

// Len returns the number of fields.
func (g *Large) Len() int { return g.fields.Len() }

// Bytes returns how much memory the hash takes.
func (s *Small) Bytes() int64 { return s.list.Bytes() }

// Bytes returns about how much memory the hash takes.
func (g *Large) Bytes() int64 { return g.fields.Bytes() + largeBytes }

// largeBytes is the memory of a Large and its map without nodes.
const largeBytes = 48

// Encoding returns Redis's name of the form.
func (*Small) Encoding() string { return "listpack" }

// Encoding returns Redis's name of the form.
func (*Large) Encoding() string { return "hashtable" }

// Clone returns an independent copy.
func (s *Small) Clone() value.Collection { return smallOf(s.list.Clone()) }

// Clone returns an independent copy. The two share the parts that neither of them has changed.
func (g *Large) Clone() value.Collection {
	c := &Large{g.fields.Copy()}
	g.fields.Disown()
	return c
}

// Fork returns a copy; see [value.Collection].
func (s *Small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }

// Fork returns a copy that shares what does not change; see [value.Collection].
func (g *Large) Fork() (c value.Collection, copied int64) { return g.Clone(), pathBytes }

// pathBytes is about how many bytes a change copies in a large hash whose nodes another one shares.
const pathBytes = 2048
