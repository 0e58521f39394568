package table

import (
	"sync"
	"sync/atomic"
)

// Copies is what all parts of one snapshot share: the copies of segments.
type Copies struct {
	pool    sync.Pool    // *SegmentCopy, for the next copy
	waiting atomic.Int64 // bytes of early copies and of saved heads
	most    atomic.Int64 // the most that waiting ever was
}

// Bytes returns the bytes of copies that wait for the snapshot, and the most that it ever was.
func (c *Copies) Bytes() (now, most int64) { return c.waiting.Load(), c.most.Load() }

func (c *Copies) add(bytes int64) {
	if now := c.waiting.Add(bytes); now > c.most.Load() {
		c.most.Store(now)
	}
}

func (c *Copies) take() *SegmentCopy {
	if s, ok := c.pool.Get().(*SegmentCopy); ok {
		return s
	}
	return &SegmentCopy{}
}

// Frozen is what a snapshot must still see of one partition. It is copy-on-write: a segment is
// copied when the snapshot comes to it, or before the segment changes. Small changes save the
// heads of cells instead (savedheads.go).
type Frozen struct {
	copies *Copies
	number uint32   // of the snapshot
	tables []*Table // by database at the moment of the snapshot: where its segments are now
	early  []early  // copies that were made before the snapshot came to their segments
	heads  map[*segment]*savedHeads
	copied map[*byte]struct{} // strings that the snapshot does not see

	adopted []*Table // tables that were emptied; their memory is given back at the end
}

// early is a segment copy that waits for the snapshot.
type early struct {
	db   int // at the moment of the snapshot
	copy *SegmentCopy
}

// Init prepares f for the snapshot with that number, which no earlier snapshot has. tables are
// the partition's tables, by database.
func (f *Frozen) Init(c *Copies, number uint32, tables []*Table) {
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
	t := f.tables[c.DB]
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

// preserve lets a running snapshot see a segment that is about to be rebuilt, or whose objects
// are about to change.
func (t *Table) preserve(g *segment) {
	if f := *t.frozen; f != nil && g.snapshot != f.number {
		f.preserve(t, g)
	}
}

func (f *Frozen) preserve(t *Table, g *segment) {
	for db, of := range f.tables {
		if of == t {
			s := f.copySegment(t, g)
			s.early = true
			f.early = append(f.early, early{db, s})
			f.copies.add(s.bytes())
			return
		}
	}
	panic("store: the snapshot does not know the segment's table")
}

// copySegment copies a segment as it was, and marks it as seen.
func (f *Frozen) copySegment(t *Table, g *segment) *SegmentCopy {
	s := f.copies.take()
	s.copy(t, g, f.takeHeads(g))
	g.snapshot = f.number
	return s
}

// adopt keeps the contents of a table that is about to be emptied.
func (f *Frozen) adopt(t *Table) {
	for db, of := range f.tables {
		if of == t {
			f.tables[db] = &Table{dir: t.dir, depth: t.depth, objects: t.objects, frozen: t.frozen, blocks: t.blocks}
			f.adopted = append(f.adopted, f.tables[db])
			t.segmap.Store(nil)
			t.dir = nil // the adopted table gives the memory back
		}
	}
}

// swap notes that two tables are about to exchange their contents.
func (f *Frozen) swap(a, b *Table) {
	for db, of := range f.tables {
		switch of {
		case a:
			f.tables[db] = b
		case b:
			f.tables[db] = a
		}
	}
}

// copiedBytes returns the key's string, to be written over. While a snapshot runs, the first
// call makes a copy.
func (p *Place) copiedBytes(b []byte) []byte {
	f := *p.t.frozen
	if f == nil || cap(b) == 0 {
		return b
	}
	if _, own := f.copied[&b[:1][0]]; own {
		return b
	}
	own := append(make([]byte, 0, cap(b)), b...)
	if f.copied == nil {
		f.copied = map[*byte]struct{}{}
	}
	f.copied[&own[:1][0]] = struct{}{}
	return own
}
