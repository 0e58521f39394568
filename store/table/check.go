package table

import (
	"bytes"
	"cmp"
	"fmt"
	"unsafe"

	"cellserver/store/memory"
)

// Totals are the counts of [Table.Check].
type Totals struct {
	Bytes  int64 // of the table, its objects included
	Blocks int   // of the usual size

	cells, volatile, objects, collections, deepest int
}

// Shape describes the size of a table's directory and segments.
type Shape struct {
	Depth    int // the directory has 2^Depth entries
	Entries  int // of the directory
	Segments int
	Arena    int // used bytes of all arenas
	// Generation grows by one with each cell that comes or goes, and whenever cells move.
	Generation uint64
}

// Shape returns the table's shape. It is for tests.
func (t *Table) Shape() Shape {
	s := Shape{Depth: int(t.depth), Entries: len(t.dir), Generation: t.gen}
	t.segments(func(g *segment) bool {
		s.Segments++
		s.Arena += len(g.arena)
		return true
	})
	return s
}

// Check recounts everything that the table keeps count of, and returns an error if an invariant
// does not hold. It is for tests; it reads every cell.
func (t *Table) Check() (sum Totals, err error) {
	if t.dir != nil {
		if len(t.dir) != 1<<t.depth {
			return sum, fmt.Errorf("the directory has %d entries at depth %d", len(t.dir), t.depth)
		}
		sum.Bytes = int64(len(t.dir)) * dirEntryBytes
	}
	if err := t.checkSegmentMap(); err != nil {
		return sum, err
	}
	for i := 0; i < len(t.dir); {
		g := t.dir[i]
		if err := t.checkSpan(g, i); err != nil {
			return sum, err
		}
		if err := t.checkSegment(g, &sum); err != nil {
			return sum, fmt.Errorf("segment %d: %w", i, err)
		}
		i += 1 << (t.depth - g.depth)
	}
	return sum, cmp.Or(
		differ("cells", sum.cells, int(t.count.Load())),
		differ("cells with an expiry", sum.volatile, int(t.volatile.Load())),
		differ("deepest segments", sum.deepest, t.deepest),
		differ("objects", sum.objects, int(t.objects.n)),
		differ("collections", sum.collections, int(t.objects.collections)),
		holds(len(t.objects.chunks) <= sum.objects/slabChunk+2, "the slab has gaps"),
		differ("bytes", int(sum.Bytes), int(t.heap+t.cells)),
	)
}

// checkSpan checks the directory entries of the segment of entry i.
func (t *Table) checkSpan(g *segment, i int) error {
	if g.depth > t.depth {
		return fmt.Errorf("segment %d is deeper than the directory", i)
	}
	span := 1 << (t.depth - g.depth)
	if i%span != 0 {
		return fmt.Errorf("segment %d does not start at a multiple of its span %d", i, span)
	}
	for _, o := range t.dir[i : i+span] {
		if o != g {
			return fmt.Errorf("entries from %d on name different segments", i)
		}
	}
	return nil
}

// checkSegment checks one segment and adds it to the sum.
func (t *Table) checkSegment(g *segment, sum *Totals) (err error) {
	used, earliest, was, cellBytes := 0, NoExpiry, sum.cells, 0
	for _, s := range g.index {
		if s != slotEmpty {
			used++
		}
	}
	g.each(func(slot int, c Cell) bool {
		cellBytes += c.size()
		if at := c.ExpireAt(); at != NoExpiry && (earliest == NoExpiry || at < earliest) {
			earliest = at
		}
		err = t.checkCell(g, slot, c, sum)
		return err == nil
	})
	live, inOrder, holes := sum.cells-was, 0, 0
	g.inOrder(func(Cell) { inOrder++ })
	for off := g.hole; off != 0 && holes <= g.dead; off = uint32(g.cell(off).Int()) {
		holes += g.cell(off).size()
	}
	if g.depth == t.depth {
		sum.deepest++
	}
	if g.fillsBlock() {
		sum.Blocks++
	}
	sum.Bytes += int64(cellBytes) + g.overhead()
	return cmp.Or(err,
		differ("cells in the arena", live, inOrder),
		differ("live cells", live, g.live),
		differ("used slots", used, g.used),
		holds(used < len(g.index), "no slot is empty, so a probe does not end"),
		differ("dead bytes", len(g.arena)-arenaStart-cellBytes, g.dead),
		differ("bytes of the chain of dead cells", holes, g.dead),
		holds(earliest == NoExpiry || g.nextExpiry != NoExpiry && g.nextExpiry <= earliest, "nextExpiry is too late"),
	)
}

// checkCell checks that a cell is found, and adds it to the sum.
func (t *Table) checkCell(g *segment, slot int, c Cell, sum *Totals) error {
	key := t.KeyOf(c)
	hash := t.Hash(key)
	found, off, at := t.find(key, hash)
	if found != g || off != g.index[slot]&offsetMask || at != slot {
		return fmt.Errorf("the cell of %.20q is not found", key)
	}
	sum.cells++
	if c.ExpireAt() != NoExpiry {
		sum.volatile++
	}
	if c.has(cellBigKey) {
		sum.objects++
		if own := t.objects.at(c.bigKey()).bytes(); len(key) != cap(own) || !bytes.Equal(key, own) {
			return fmt.Errorf("the long key %.20q takes %d bytes", key, cap(own))
		}
		sum.Bytes += int64(len(key)) + objectBytes
	}
	if c.refers() {
		sum.objects++
		o := t.objects.at(c.Int())
		sum.Bytes += o.size()
		if o.hash != hash {
			return fmt.Errorf("the object of %.20q has another hash", key)
		}
		if c.Kind().IsCollection() {
			sum.collections++
		}
		if (o.collection() != nil) != c.Kind().IsCollection() {
			return fmt.Errorf("the object of %.20q is not of kind %d", key, c.Kind())
		}
	}
	return nil
}

// checkSegmentMap checks that the segment map has all segments that it may have.
func (t *Table) checkSegmentMap() error {
	m := t.segmap.Load()
	if t.dir == nil || memory.OnHeap {
		return holds(m == nil, "there is a segment map without segments")
	}
	if m == nil || m.depth != t.depth || len(m.segments) != len(t.dir) {
		return fmt.Errorf("the segment map has another depth")
	}
	for i, g := range t.dir {
		slots := m.segments[i].slots.Load()
		switch {
		case slots == nil && g.fillsBlock() && len(g.index) <= segmentMaxSlots:
			return fmt.Errorf("segment %d is not in the segment map", i)
		case slots == nil:
		case unsafe.Pointer(unsafe.SliceData(g.index)) != unsafe.Pointer(slots),
			int(m.segments[i].mask.Load()) != len(g.index)-1:
			return fmt.Errorf("segment %d lies elsewhere than the segment map says", i)
		}
	}
	return nil
}

func differ(what string, counted, kept int) error {
	if counted == kept {
		return nil
	}
	return fmt.Errorf("%s: %d, but the count is %d", what, counted, kept)
}

func holds(ok bool, otherwise string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s", otherwise)
}
