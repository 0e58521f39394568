package hash

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// small is the compact form: a field, its value, the next field, and so on. It is the beginning of a block of
// memory, so it must never be copied; use the pointer.
type small struct{ packed.List }

// large is the form of a hash that exceeds the limits.
type large struct{ *trie.Map }

// smallOf returns a list of fields and values as a hash, without a copy.
func smallOf(l *packed.List) *small { return (*small)(unsafe.Pointer(l)) }

func (s *small) Len() int { return s.List.Len() / 2 }

func (*small) Kind() value.Kind { return value.Hash }
func (*large) Kind() value.Kind { return value.Hash }

func (*small) Encoding() string { return "listpack" }
func (*large) Encoding() string { return "hashtable" }

func (s *small) Clone() value.Collection { return smallOf(s.List.Clone()) }
func (g *large) Clone() value.Collection { return &large{g.Map.Clone()} }

func (s *small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }
func (g *large) Fork() (c value.Collection, copied int64) { return g.Clone(), trie.PathBytes }
