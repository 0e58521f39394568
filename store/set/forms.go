package set

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// small is the compact form of members that are not all integers. It is the beginning of a block of memory,
// so it must never be copied; use the pointer. Redis 7.0 has no such form, so
// its Encoding is that of large.
type small struct{ packed.List }

// large is the form of a set that ints and small cannot hold.
type large struct{ *trie.Map }

// The limits of small are those of Redis 7.2.
const (
	maxSmallMembers = 128
	maxSmallMember  = 64 // bytes of each
)

// smallOf returns a list of members as a set, without a copy.
func smallOf(l *packed.List) *small { return (*small)(unsafe.Pointer(l)) }

func (*small) Kind() value.Kind { return value.Set }
func (*large) Kind() value.Kind { return value.Set }

func (*small) Encoding() string { return "hashtable" }
func (*large) Encoding() string { return "hashtable" }

func (s *small) Clone() value.Collection { return smallOf(s.List.Clone()) }
func (g *large) Clone() value.Collection { return &large{g.Map.Clone()} }

func (s *small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }
func (g *large) Fork() (c value.Collection, copied int64) { return g.Clone(), trie.PathBytes }
