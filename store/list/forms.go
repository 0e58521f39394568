package list

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/value"
)

// Small is the compact form: one block of memory, of which it is the beginning. So it must never be copied;
// use the pointer.
type Small struct{ block packed.List }

// Large is the form of a list that one block has no room for.
type Large struct {
	root  *node
	owner *owner
}

// smallOf returns a block of elements as a list, without a copy.
func smallOf(b *packed.List) *Small { return (*Small)(unsafe.Pointer(b)) }

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

// Kind returns [value.List].
func (*Small) Kind() value.Kind { return value.List }

// Kind returns [value.List].
func (*Large) Kind() value.Kind { return value.List }

// Len returns the number of elements.
func (s *Small) Len() int { return s.block.Len() }

// Len returns the number of elements.
func (g *Large) Len() int { return g.root.count }

// Bytes returns how much memory the list takes.
func (s *Small) Bytes() int64 { return s.block.Bytes() }

// Bytes returns about how much memory the list takes.
func (g *Large) Bytes() int64 { return g.root.bytes + largeBytes }

// largeBytes is the memory of a Large without nodes.
const largeBytes = int64(unsafe.Sizeof(Large{})) + 8

// Encoding returns Redis's name of the form.
func (*Small) Encoding() string { return encoding }

// Encoding returns Redis's name of the form.
func (*Large) Encoding() string { return encoding }

// encoding is the only encoding of lists in Redis 7.0.
const encoding = "quicklist"

// Clone returns an independent copy.
func (s *Small) Clone() value.Collection { return smallOf(s.block.Clone()) }

// Clone returns an independent copy. The two share the parts that neither of them has changed.
func (g *Large) Clone() value.Collection {
	g.owner = &owner{}
	return &Large{g.root, &owner{}}
}

// Fork returns a copy; see [value.Collection].
func (s *Small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }

// Fork returns a copy that shares what does not change; see [value.Collection].
func (g *Large) Fork() (c value.Collection, copied int64) { return g.Clone(), pathBytes }

// pathBytes is about how many bytes a change copies in a large list whose nodes another one shares.
const pathBytes = 2048

// settled returns the list in its form after elements were removed.
func (g *Large) settled() value.Collection {
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
