package set

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Small is the compact form of members that are not all integers. It is the beginning of a block of memory,
// so it must never be copied; use the pointer. Redis 7.0 has no such form, so
// its Encoding is that of Large.
type Small struct{ list packed.List }

// Large is the form of a set that Ints and Small cannot hold.
type Large struct{ members *trie.Map }

// The limits of Small are those of Redis 7.2.
const (
	maxSmallMembers = 128
	maxSmallMember  = 64 // bytes of each
)

// smallOf returns a list of members as a set, without a copy.
func smallOf(l *packed.List) *Small { return (*Small)(unsafe.Pointer(l)) }

// Kind returns [value.Set].
func (*Small) Kind() value.Kind { return value.Set }

// Kind returns [value.Set].
func (*Large) Kind() value.Kind { return value.Set }

// Len returns the number of members.
func (s *Small) Len() int { return s.list.Len() }

// Len returns the number of members.
func (g *Large) Len() int { return g.members.Len() }

// Bytes returns how much memory the set takes.
func (s *Small) Bytes() int64 { return s.list.Bytes() }

// Bytes returns about how much memory the set takes.
func (g *Large) Bytes() int64 { return g.members.Bytes() + largeBytes }

// largeBytes is the memory of a Large and its map without nodes.
const largeBytes = 48

// Encoding returns Redis's name of the form.
func (*Small) Encoding() string { return "hashtable" }

// Encoding returns Redis's name of the form.
func (*Large) Encoding() string { return "hashtable" }

// Clone returns an independent copy.
func (s *Small) Clone() value.Collection { return smallOf(s.list.Clone()) }

// Clone returns an independent copy. The two share the parts that neither of them has changed.
func (g *Large) Clone() value.Collection {
	c := &Large{g.members.Copy()}
	g.members.Disown()
	return c
}

// Fork returns a copy; see [value.Collection].
func (s *Small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }

// Fork returns a copy that shares what does not change; see [value.Collection].
func (g *Large) Fork() (c value.Collection, copied int64) { return g.Clone(), pathBytes }

// pathBytes is about how many bytes a change copies in a large set whose nodes another one shares.
const pathBytes = 2048
