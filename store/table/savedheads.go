package table

import (
	"slices"
	"unsafe"
)

// savedHeads is how a segment was when the snapshot began, for a segment that has changed since
// and is not copied yet. It exists for speed alone.
//
// What it is: the heads of the cells that changed, as they were, and the end of the arena. The
// key behind a head never changes.
//
// What it brings: the transaction that changes the first cell of a segment saves 22 bytes, and
// does not copy the whole segment. If every client changes another segment, each of them would
// wait for such a copy. Measured by go test -run '^$' -bench BenchmarkLongestSnapshot ./store.
//
// What it must never do: stand for a cell with an object in the slab. Objects move within the
// slab without notice ([segment.redirect]). The segment is copied instead.
type savedHeads struct {
	arena int // used bytes of the arena
	heads []head
}

// head is the head of one cell before a change.
type head struct {
	off   uint32
	bytes [cellHeader + cellExpiry]byte // the cell's header, and its expiry if it has one
}

const (
	headBytes = int64(unsafe.Sizeof(head{}))
	firstRoom = 16  // heads for which there is room at once
	mostHeads = 256 // then the segment is copied: the same cells may change again and again
)

// saveHead lets a running snapshot see a cell that is about to change in place, or to go.
func (t *Table) saveHead(g *segment, off uint32) {
	if f := *t.frozen; f != nil && g.snapshot != f.number {
		f.saveHead(t, g, off)
	}
}

// saveEnd lets a running snapshot see a segment without the cells that are about to come.
func (t *Table) saveEnd(g *segment) {
	if f := *t.frozen; f != nil && g.snapshot != f.number {
		f.headsOf(g)
	}
}

// headsOf returns the saved heads of a segment. The first call notes the end of the arena.
func (f *Frozen) headsOf(g *segment) *savedHeads {
	h := f.heads[g]
	if h == nil {
		h = &savedHeads{arena: len(g.arena), heads: make([]head, 0, firstRoom)}
		if f.heads == nil {
			f.heads = map[*segment]*savedHeads{}
		}
		f.heads[g] = h
		f.copies.add(h.bytes())
	}
	return h
}

// saveHead saves the head of a cell that was there when the snapshot began. If a head cannot be
// saved, it copies the segment.
func (f *Frozen) saveHead(t *Table, g *segment, off uint32) {
	c := g.cell(off)
	if c.refers() || c.has(cellBigKey) {
		f.preserve(t, g)
		return
	}
	h := f.headsOf(g)
	switch last := len(h.heads) - 1; {
	case int(off) >= h.arena, last >= 0 && h.heads[last].off == off:
		return
	case len(h.heads) == mostHeads:
		f.preserve(t, g)
		return
	}
	before := h.bytes()
	h.heads = append(h.heads, head{off: off})
	copy(h.heads[len(h.heads)-1].bytes[:], c[:c.keyAt()])
	f.copies.add(h.bytes() - before)
}

// takeHeads returns the segment's saved heads and drops them, nil if it has none.
func (f *Frozen) takeHeads(g *segment) *savedHeads {
	h := f.heads[g]
	if h != nil {
		delete(f.heads, g)
		f.copies.waiting.Add(-h.bytes())
	}
	return h
}

// restore makes a copy of the segment's arena what the arena was. If a cell was saved more than
// once, its first head counts.
func (s *savedHeads) restore(arena []byte) []byte {
	arena = arena[:s.arena]
	for _, h := range slices.Backward(s.heads) {
		c := Cell(h.bytes[:])
		copy(arena[h.off:], c[:c.keyAt()])
	}
	return arena
}

func (s *savedHeads) bytes() int64 { return int64(unsafe.Sizeof(*s)) + int64(cap(s.heads))*headBytes }
