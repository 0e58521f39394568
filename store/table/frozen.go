package table

import (
	"cmp"
	"slices"
)

// Frozen holds the part of one partition that a snapshot must still see. It is copy-on-write. The
// snapshot copies a segment when it reads it. A transaction copies a segment before it changes it.
// For a small change, it saves the heads of cells instead (savedheads.go).
type Frozen struct {
	copies *Copies
	number uint32     // of the snapshot
	tables []Numbered // ascending by database at the moment of the snapshot: where its segments are now
	early  []early    // copies of segments that the snapshot has not read yet
	heads  map[*segment]*savedHeads
	copied map[*byte]struct{} // strings that the snapshot does not see

	adopted []*Table // emptied tables; Release gives their memory back
}

// early is a segment copy that waits for the snapshot.
type early struct {
	db   int // at the moment of the snapshot
	copy *SegmentCopy
}

// Numbered is a table with the number of its database.
type Numbered struct {
	DB    int
	Table *Table
}

// Init prepares f for the snapshot with that number, which no earlier snapshot has. tables are
// the partition's tables, ascending by database. They are f's own from then on. A table that is
// made later need not be seen.
func (f *Frozen) Init(c *Copies, number uint32, tables []Numbered) {
	f.copies, f.number, f.tables = c, number, tables
}

// Release gives back the memory that f has adopted.
func (f *Frozen) Release() {
	for _, t := range f.adopted {
		t.free()
	}
}

// Cursor is a snapshot's way through one table.
type Cursor struct {
	DB   int    // at the moment of the snapshot
	from uint64 // hash of the next segment
	done bool   // all segments were seen
}

// Next returns the next copy of a segment, nil after the last. The partition must be locked.
func (f *Frozen) Next(c *Cursor) *SegmentCopy {
	for i := range f.early {
		if f.early[i].db == c.DB {
			s := f.early[i].copy
			last := len(f.early) - 1
			f.early[i] = f.early[last]
			f.early[last] = early{}
			f.early = f.early[:last]
			return s
		}
	}
	at, found := slices.BinarySearchFunc(f.tables, c.DB, func(t Numbered, db int) int { return cmp.Compare(t.DB, db) })
	if !found {
		return nil
	}
	t := f.tables[at].Table
	for !c.done && t.dir != nil {
		g := t.dir[t.entryOf(c.from)]
		from, more := t.next(g, c.from)
		c.from, c.done = from, !more
		if g.snapshot != f.number {
			return f.copySegment(t, g)
		}
	}
	return nil
}

// preserve copies a segment that is about to be rebuilt, or whose objects are about to change.
func (f *Frozen) preserve(t *Table, g *segment) {
	for _, of := range f.tables {
		if of.Table == t {
			s := f.copySegment(t, g)
			s.early = true
			f.early = append(f.early, early{of.DB, s})
			f.copies.add(s.bytes())
			return
		}
	}
	panic("store: the snapshot does not know the segment's table")
}

// copySegment copies a segment as it was, and marks it as seen.
func (f *Frozen) copySegment(t *Table, g *segment) *SegmentCopy {
	s := f.copies.take()
	s.copy(&t.objects, g, f.takeHeads(g))
	g.snapshot = f.number
	return s
}

// contents returns a table with the same cells, for a snapshot.
func (t *Table) contents() *Table {
	return &Table{dir: t.dir, depth: t.depth, objects: t.objects, keeper: t.keeper,
		sizes: sizes{blocks: t.blocks}}
}

// adopt keeps the contents of a table that is about to be emptied.
func (f *Frozen) adopt(t *Table) {
	for i, of := range f.tables {
		if of.Table == t {
			f.tables[i].Table = t.contents()
			f.adopted = append(f.adopted, f.tables[i].Table)
			t.segmap.Store(nil)
			t.dir = nil // the adopted table gives the memory back
		}
	}
}

// moved notes that the contents of one table are in another table now. It reports whether the snapshot
// sees them.
func (f *Frozen) moved(from, to *Table) bool {
	for i := range f.tables {
		if f.tables[i].Table == from {
			f.tables[i].Table = to
			return true
		}
	}
	return false
}

// adoptDetached keeps a detached table, and reports whether the snapshot sees it.
func (f *Frozen) adoptDetached(d *Table) bool {
	own := d.contents()
	if !f.moved(d, own) {
		return false
	}
	f.adopted = append(f.adopted, own)
	return true
}

// swap notes that two tables will exchange their contents.
func (f *Frozen) swap(a, b *Table) {
	for i := range f.tables {
		switch of := &f.tables[i]; of.Table {
		case a:
			of.Table = b
		case b:
			of.Table = a
		}
	}
}

// headsOf returns the saved heads of a segment. The first call notes the end of the arena, because the
// snapshot does not see the cells that come later.
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

// takeHeads removes and returns the saved heads of the segment, nil if there are no saved heads.
func (f *Frozen) takeHeads(g *segment) *savedHeads {
	h := f.heads[g]
	if h != nil {
		delete(f.heads, g)
		f.copies.waiting.Add(-h.bytes())
	}
	return h
}

// sees reports whether the snapshot may see a string.
func (f *Frozen) sees(b []byte) bool {
	_, own := f.copied[&b[:1][0]]
	return !own
}

// noteCopy notes a string that was copied for a change, which the snapshot does not see.
func (f *Frozen) noteCopy(b []byte) {
	if f.copied == nil {
		f.copied = map[*byte]struct{}{}
	}
	f.copied[&b[:1][0]] = struct{}{}
}
