package set

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Small is the compact form of members that are not all integers. It is the beginning of a block of memory,
// so it must never be copied; use the pointer. Redis 7.0 has no such form: its name is that of the large
// one.
type Small struct{ list packed.List }

// Large is the form of all other sets.
type Large struct{ members *trie.Map }

// The limits of the compact form: the most members, and the longest member in bytes. They are those of Redis
// 7.2.
const (
	smallMembers = 128
	smallBytes   = 64
)

func small(l *packed.List) *Small { return (*Small)(unsafe.Pointer(l)) }

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
func (s *Small) Clone() value.Collection { return small(s.list.Clone()) }

// Clone returns an independent copy. The two share the parts that neither of them has changed.
func (g *Large) Clone() value.Collection {
	c := &Large{g.members.Copy()}
	g.members.Shared()
	return c
}

// Fork returns a copy; see [value.Collection].
func (s *Small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }

// Fork returns a copy that shares what does not change; see [value.Collection].
func (g *Large) Fork() (c value.Collection, copied int64) { return g.Clone(), pathBytes }

// pathBytes is about how much of a large set a change copies if another one shares it.
const pathBytes = 2048
