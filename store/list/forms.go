package list

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/value"
)

// small is the compact form: one block of memory, of which it is the beginning. So it must never be copied;
// use the pointer.
type small struct{ packed.List }

// large is the form of a list that one block has no room for.
type large struct {
	root  *node
	owner *owner
}

// smallOf returns a block of elements as a list, without a copy.
func smallOf(b *packed.List) *small { return (*small)(unsafe.Pointer(b)) }

// The maximum of one block, even if the limits allow more: every change reads a block, and moves its bytes.
const (
	mostElements = 128
	mostBytes    = 1024
	fullBlock    = mostBytes + 8 // with the header
)

// blockLimits are how many elements and bytes a block may have. A block of one element may be larger.
type blockLimits struct{ elements, bytes int }

func limitsOf(l *value.Limits) blockLimits {
	return blockLimits{max(1, min(l.ListEntries, mostElements)), min(l.ListBytes, mostBytes)}
}

// takes reports whether a block has room for one more element, after other elements with this number of
// bytes are removed.
func (l blockLimits) takes(b *packed.List, element []byte, removed, bytes int) bool {
	n := b.Len() + 1 - removed
	return n == 1 || n <= l.elements && b.Size()-bytes+len(element) <= l.bytes
}

// largeBytes is the memory of a large without nodes.
const largeBytes = int64(unsafe.Sizeof(large{})) + 8

// pathBytes is about how many bytes a change copies in a large list whose nodes another one shares.
const pathBytes = 2048

func (g *large) Len() int     { return g.root.count }
func (g *large) Bytes() int64 { return g.root.bytes + largeBytes }

func (*small) Kind() value.Kind { return value.List }
func (*large) Kind() value.Kind { return value.List }

// Redis 7.0 has one encoding of lists.
func (*small) Encoding() string { return "quicklist" }
func (*large) Encoding() string { return "quicklist" }

func (s *small) Clone() value.Collection { return smallOf(s.List.Clone()) }

// Clone returns a copy that shares the parts that neither of the two has changed.
func (g *large) Clone() value.Collection {
	g.owner = &owner{}
	return &large{g.root, &owner{}}
}

func (s *small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }
func (g *large) Fork() (c value.Collection, copied int64) { return g.Clone(), pathBytes }

// settled returns the list in its form after elements were removed.
func (g *large) settled() value.Collection {
	for len(g.root.kids) == 1 {
		g.root = g.root.kids[0]
	}
	switch {
	case g.root.kids != nil:
		return g
	case g.root.owner == g.owner && g.root.room == int(g.root.block.Bytes()):
		return smallOf(g.root.block)
	}
	return smallOf(g.root.block.Clone())
}
