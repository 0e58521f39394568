package table

import "cellserver/store/memory"

const (
	// Two buddies merge if they have at most mergeCells cells and mergeBytes bytes together:
	// a third of the size at which a segment splits.
	mergeCells = 256
	mergeBytes = memory.BlockBytes / 4
)

// room makes an index slot and n bytes of room in the hash's segment, and returns the segment. A
// rebuilt segment has an eighth to spare, so it is not full again soon. If there is no memory,
// room panics with [memory.ErrExhausted], and no key has changed.
func (t *Table) room(hash uint64, n int) *segment {
	g := t.tryRoom(hash, n)
	if g == nil {
		panic(memory.ErrExhausted)
	}
	return g
}

// tryRoom is room that returns nil if there is no memory. A rebuilt segment has an eighth to spare,
// so that it is not full again soon.
func (t *Table) tryRoom(hash uint64, n int) *segment {
	for made := true; made; {
		g := t.dir[t.entryOf(hash)]
		if !g.full() && g.fits(n) {
			return g
		}
		slots, room := slotsFor(g.live+1), (g.liveBytes()+n)*9/8
		if (slots > segmentMaxSlots || segmentBytes(slots, room) > memory.BlockBytes) && t.maySplit(g) {
			made = t.split(g, hash)
		} else {
			made = t.rebuild(g, hash, slots, room)
		}
	}
	return nil
}

// maySplit reports whether a segment may split. The directory never has more entries than the
// table has cells: so hashes that agree in their leading bits cannot blow it up. Their segment
// grows instead.
func (t *Table) maySplit(g *segment) bool {
	return g.depth < t.depth || int64(len(t.dir)) <= t.count.Load()
}

// rebuild copies the hash's segment to a new block, without tombstones and dead bytes. It reports
// whether there was memory.
func (t *Table) rebuild(g *segment, hash uint64, slots, room int) bool {
	fresh := t.newSegment(slots, room, g.depth)
	if fresh == nil {
		return false
	}
	t.copyCells(fresh, g)
	t.addCells(fresh.overhead() - g.overhead())
	g.release(t.blocks)
	*g = *fresh
	t.publish(t.span(g, hash))
	t.gen++
	return true
}

// newSegment makes a segment that a running snapshot need not see. It returns nil if there is no
// memory.
func (t *Table) newSegment(slots, room int, depth uint8) *segment {
	g := newSegment(t.blocks, slots, room, depth)
	if k := *t.keeper; k != nil && k.Snapshot != nil && g != nil {
		g.snapshot = k.Snapshot.number
	}
	return g
}

// copyCells copies the cells of other segments to g.
func (t *Table) copyCells(g *segment, from ...*segment) {
	for _, o := range from {
		t.preserve(o)
		o.inOrder(func(c Cell) { g.put(c, t.Hash(t.KeyOf(c))) })
	}
}

// split divides the full segment of a hash in two by the next bit of the hash. It doubles the
// directory first if the directory has no entry for each half. It reports whether there was memory.
func (t *Table) split(g *segment, hash uint64) bool {
	halves, made := t.newHalves(g)
	if !made {
		return false
	}
	t.preserve(g)
	if g.depth == t.depth {
		t.grow()
	}
	g.inOrder(func(c Cell) {
		h := t.Hash(t.KeyOf(c))
		halves[h>>(63-g.depth)&1].put(c, h)
	})
	start, span := t.span(g, hash)
	for i := range span {
		t.dir[start+i] = halves[i/(span/2)]
	}
	t.publish(start, span)
	if g.depth+1 == t.depth {
		t.deepest += 2
	}
	t.addCells(halves[0].overhead() + halves[1].overhead() - g.overhead())
	g.release(t.blocks)
	t.gen++
	return true
}

// newHalves makes the two segments that a full segment is to be divided into. It makes both or none.
func (t *Table) newHalves(g *segment) (halves [2]*segment, made bool) {
	room := g.liveBytes()
	if segmentBytes(len(g.index), room) <= memory.BlockBytes {
		room /= 2 // the likely size; a block has room for all of them
	}
	for i := range halves {
		halves[i] = t.newSegment(len(g.index), room, g.depth+1)
	}
	if halves[0] != nil && halves[1] != nil {
		return halves, true
	}
	for _, half := range halves {
		if half != nil {
			half.release(t.blocks)
		}
	}
	return halves, false
}

// span returns the directory entries of the hash's segment g: the first, and their number.
func (t *Table) span(g *segment, hash uint64) (start, n int) {
	n = 1 << (t.depth - g.depth)
	return t.entryOf(hash) &^ (n - 1), n
}

// publish enters the segments of n directory entries in the segment map, for prefetching.
func (t *Table) publish(start, n int) { publishSegments(t.segmap, t.dir, t.depth, start, n) }

// next returns the lowest hash of the segment after g, the segment of a hash. ok is false if g
// is the last one.
func (t *Table) next(g *segment, hash uint64) (from uint64, ok bool) {
	start, n := t.span(g, hash)
	if start+n == len(t.dir) {
		return hash, false
	}
	return uint64(start+n) << (64 - t.depth), true
}

// grow doubles the directory.
func (t *Table) grow() {
	dir := make([]*segment, 2*len(t.dir))
	for i, g := range t.dir {
		dir[2*i], dir[2*i+1] = g, g
	}
	t.addHeap(int64(len(t.dir)) * dirEntryBytes)
	t.dir, t.depth, t.deepest = dir, t.depth+1, 0
}

// merge joins the hash's segment with its buddy, the other half of the segment from which it once
// split. It continues with the joined segment while the two are mostly empty. It reports whether
// any segments merged.
func (t *Table) merge(hash uint64) (merged bool) {
	for {
		g := t.dir[t.entryOf(hash)]
		start, span := t.span(g, hash)
		if g.depth == 0 {
			return merged
		}
		buddy := t.dir[start^span]
		cells, room := g.live+buddy.live, g.liveBytes()+buddy.liveBytes()
		if buddy.depth != g.depth || cells > mergeCells || room > mergeBytes {
			return merged
		}
		joined := t.newSegment(slotsFor(cells*3/2), room, g.depth-1)
		if joined == nil {
			return merged
		}
		t.copyCells(joined, g, buddy)
		for i := range 2 * span {
			t.dir[start&^span+i] = joined
		}
		t.publish(start&^span, 2*span)
		t.addCells(joined.overhead() - g.overhead() - buddy.overhead())
		g.release(t.blocks)
		buddy.release(t.blocks)
		t.gen++
		merged = true
		if g.depth == t.depth {
			t.shrink()
		}
	}
}

// shrink subtracts two from the number of deepest segments. If the result is 0, it halves the
// directory.
func (t *Table) shrink() {
	if t.deepest -= 2; t.deepest > 0 {
		return
	}
	dir := make([]*segment, len(t.dir)/2)
	for i := range dir {
		dir[i] = t.dir[2*i]
	}
	t.addHeap(-int64(len(dir)) * dirEntryBytes)
	t.dir, t.depth = dir, t.depth-1
	t.publish(0, len(dir))
	t.segments(func(g *segment) bool {
		if g.depth == t.depth {
			t.deepest++
		}
		return true
	})
}

// tidy merges the hash's segment with its buddy, or rebuilds it, if too much of it is empty. Without
// memory it leaves the segment as it is.
func (t *Table) tidy(g *segment, hash uint64) {
	switch {
	case g.sparse() || g.live == 0:
		if !t.merge(hash) && g.sparse() {
			t.rebuild(g, hash, slotsFor(g.live*3/2), g.liveBytes())
		}
	case g.wasteful():
		t.rebuild(g, hash, len(g.index), g.liveBytes())
	}
}

// segments calls f for every segment in the order of their hashes, until f returns false. f must
// not change the directory.
func (t *Table) segments(f func(g *segment) bool) {
	for i := 0; i < len(t.dir); {
		g := t.dir[i]
		if !f(g) {
			return
		}
		i += 1 << (t.depth - g.depth)
	}
}
