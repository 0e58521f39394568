package store

import (
	"slices"
	"unsafe"
)

// past is how a segment was that has changed since a snapshot began which has not come to it yet. A copy of
// the whole segment would hold up the transaction that changes the first cell, and where every client changes
// another one, all of them: so the heads of the cells are kept that change, until they are too many.
type past struct {
	arena int // how much of it was used
	heads []head
}

// head is the head of a cell before a change; what follows it in the arena, the key, never changes. It is never that
// of a cell with values in the slab, whose places there change without notice ([segment.refer]): of these a page must
// have what they are when it is made.
type head struct {
	off   uint32
	bytes [cellHeader + cellExpiry]byte // as many of them as the cell has
}

const (
	headBytes = int64(unsafe.Sizeof(head{}))
	firstRoom = 16  // heads for which there is room at once
	mostHeads = 256 // for the same cells may change again and again
)

// keepHead lets a snapshot that is under way see a cell that is about to change in place, or to go.
func (t *table) keepHead(g *segment, off uint32) {
	if f := t.part.frozen; f != nil && g.snapshot != f.number {
		f.keepHead(t, g, off)
	}
}

// keepEnd lets a snapshot that is under way see a segment without the cells that are about to come.
func (t *table) keepEnd(g *segment) {
	if f := t.part.frozen; f != nil && g.snapshot != f.number {
		f.past(g)
	}
}

// past returns how the segment was, which is noted with its first change.
func (f *frozen) past(g *segment) *past {
	p := f.pasts[g]
	if p == nil {
		p = &past{arena: len(g.arena), heads: make([]head, 0, firstRoom)}
		if f.pasts == nil {
			f.pasts = map[*segment]*past{}
		}
		f.pasts[g] = p
		f.n.wait(p.bytes())
	}
	return p
}

// keepHead keeps the head of a cell that was there when the snapshot began, or the whole segment if it cannot be so.
func (f *frozen) keepHead(t *table, g *segment, off uint32) {
	c := g.cell(off)
	if c.refers() || c.has(cellBigKey) {
		f.preserve(t, g)
		return
	}
	p := f.past(g)
	switch last := len(p.heads) - 1; {
	case int(off) >= p.arena, last >= 0 && p.heads[last].off == off:
		return
	case len(p.heads) == mostHeads:
		f.preserve(t, g)
		return
	}
	before := p.bytes()
	p.heads = append(p.heads, head{off: off})
	copy(p.heads[len(p.heads)-1].bytes[:], c[:c.keyAt()])
	f.n.wait(p.bytes() - before)
}

// forget returns the segment's past and gives it up, nil if it has none.
func (f *frozen) forget(g *segment) *past {
	p := f.pasts[g]
	if p != nil {
		delete(f.pasts, g)
		f.n.waits.Add(-p.bytes())
	}
	return p
}

// restore makes a copy of the segment's arena what that was. A cell that changed more than once has its first head.
func (p *past) restore(arena []byte) []byte {
	arena = arena[:p.arena]
	for _, h := range slices.Backward(p.heads) {
		c := cell(h.bytes[:])
		copy(arena[h.off:], c[:c.keyAt()])
	}
	return arena
}

func (p *past) bytes() int64 { return int64(unsafe.Sizeof(*p)) + int64(cap(p.heads))*headBytes }
