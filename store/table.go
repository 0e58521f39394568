package store

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
)

// table is one database's share of one partition: an extendible hash table. The
// directory has 2^depth entries; several may name the same segment until it splits.
// The partition's lock guards everything here but count and expire, which others may read.
type table struct {
	// What finding and changing a cell looks at comes first: it is one cache line.
	dir    []*segment
	gen    uint64                 // changes whenever a cell may have moved or come, so an Entry knows to look again
	part   *partition             // that the table belongs to
	chart  *atomic.Pointer[chart] // one of the store's
	depth  uint8
	untidy bool // whoever removes cells tidies up when he is through

	seed    maphash.Seed
	mask    uint64 // of hashes: all ones, but in tests of hashes that agree
	deepest int    // segments as deep as the directory; at none it is halved
	values  slab
	count   atomic.Int64  // cells
	expire  atomic.Int64  // cells with an expiry
	heap    int64         // bytes of directory and values
	cells   int64         // bytes of segments
	mem     *atomic.Int64 // the store's sum of heap
	blocks  *blocks       // the store's, with the sum of cells

	expected int // cells that it is to hold, which it makes room for when it gets the first
	_        [3*cacheLine - 168]byte
}

func (t *table) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) & t.mask }

// at returns the directory position of a hash.
func (t *table) at(hash uint64) int {
	if t.depth == 0 {
		return 0
	}
	return int(hash >> (64 - t.depth))
}

func (t *table) keyOf(c cell) []byte {
	if k := c.keyBytes(); !c.has(cellBigKey) {
		return k
	} else {
		return t.values.at(c.bigKey()).bytes
	}
}

// find returns the segment, offset and index slot of the key's cell; offset 0 when absent.
func (t *table) find(key []byte, hash uint64) (g *segment, off uint32, slot int) {
	if t.dir == nil {
		return nil, 0, 0
	}
	g = t.dir[t.at(hash)]
	off, slot = g.find(t, key, hash)
	return g, off, slot
}

// insert makes a cell for a key that is absent, with room for an expiry if asked.
func (t *table) insert(key []byte, hash uint64, expiryRoom bool) (g *segment, off uint32, slot int) {
	if t.dir == nil {
		t.begin()
	}
	t.keepEnd(t.dir[t.at(hash)])
	flags, size := byte(0), cellHeader
	if len(key) > inlineKeyMax {
		big := t.values.put(value{bytes: append(make([]byte, 0, len(key)), key...), hash: hash})
		t.account(int64(len(key)) + valueOverhead)
		flags |= cellBigKey
		key = binary.LittleEndian.AppendUint32(nil, uint32(big))
	}
	if expiryRoom {
		flags |= cellHasExpiry
		size += cellExpiry
	}
	g, off = t.alloc(hash, size+len(key))
	g.newCell(off, flags, key)
	slot = g.link(hash, off)
	t.count.Add(1)
	t.gen++
	return g, off, slot
}

// alloc takes bytes for a cell of the hash in its segment, and accounts for them.
func (t *table) alloc(hash uint64, n int) (*segment, uint32) {
	g := t.room(hash, n)
	t.accountCells(int64(n))
	off := g.alloc(n)
	t.chart.Load().grew(hash, len(g.arena))
	return g, off
}

// room returns the hash's segment with an index slot and n bytes to spare. One that is
// laid out anew has an eighth to spare, so that it is not full again soon.
func (t *table) room(hash uint64, n int) *segment {
	for {
		g := t.dir[t.at(hash)]
		if !g.full() && g.fits(n) {
			return g
		}
		slots, room := slotsFor(g.live+1), (g.liveBytes()+n)*9/8
		if (slots > segmentMaxSlots || segmentBytes(slots, room) > blockBytes) && t.maySplit(g) {
			t.split(g, hash)
		} else {
			t.rebuild(g, hash, slots, room)
		}
	}
}

// maySplit reports whether a split is worth its directory, which never has more entries
// than the table has cells: hashes that agree in their leading bits cannot blow it up,
// their segment grows instead.
func (t *table) maySplit(g *segment) bool {
	return g.depth < t.depth || int64(len(t.dir)) <= t.count.Load()
}

// rebuild lays the hash's segment out anew, without tombstones and dead bytes.
func (t *table) rebuild(g *segment, hash uint64, slots, room int) {
	fresh := t.newSegment(slots, room, g.depth)
	t.gather(fresh, g)
	t.accountCells(fresh.overhead() - g.overhead())
	g.release(t.blocks)
	*g = *fresh
	t.draw(t.span(g, hash))
	t.gen++
}

// newSegment makes a segment that a snapshot under way need not see.
func (t *table) newSegment(slots, room int, depth uint8) *segment {
	g := newSegment(t.blocks, slots, room, depth)
	if f := t.part.frozen; f != nil {
		g.snapshot = f.number
	}
	return g
}

// gather puts the cells of other segments into g.
func (t *table) gather(g *segment, from ...*segment) {
	for _, o := range from {
		t.preserve(o)
		o.inOrder(func(c cell) { g.put(c, t.hash(t.keyOf(c))) })
	}
}

// split divides the full segment of a hash in two by the next bit of the hash, and
// doubles the directory when it has no entry to tell the halves apart.
func (t *table) split(g *segment, hash uint64) {
	t.preserve(g)
	if g.depth == t.depth {
		t.grow()
	}
	room := g.liveBytes()
	if segmentBytes(len(g.index), room) <= blockBytes {
		room /= 2 // likely; but a block has room for all, if need be
	}
	var halves [2]*segment
	for i := range halves {
		halves[i] = t.newSegment(len(g.index), room, g.depth+1)
	}
	g.inOrder(func(c cell) {
		h := t.hash(t.keyOf(c))
		halves[h>>(63-g.depth)&1].put(c, h)
	})
	start, span := t.span(g, hash)
	for i := range span {
		t.dir[start+i] = halves[i/(span/2)]
	}
	t.draw(start, span)
	if g.depth+1 == t.depth {
		t.deepest += 2
	}
	t.accountCells(halves[0].overhead() + halves[1].overhead() - g.overhead())
	g.release(t.blocks)
	t.gen++
}

// span returns the directory entries of the hash's segment g: the first, and how many.
func (t *table) span(g *segment, hash uint64) (start, n int) {
	n = 1 << (t.depth - g.depth)
	return t.at(hash) &^ (n - 1), n
}

func (t *table) grow() {
	dir := make([]*segment, 2*len(t.dir))
	for i, g := range t.dir {
		dir[2*i], dir[2*i+1] = g, g
	}
	t.account(int64(len(t.dir)) * dirEntryBytes)
	t.dir, t.depth, t.deepest = dir, t.depth+1, 0
}

// merge joins the hash's segment with its buddy, the one it once split from, and so on
// upwards, as long as the two together are mostly empty. It reports whether any went.
func (t *table) merge(hash uint64) (merged bool) {
	for {
		g := t.dir[t.at(hash)]
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
		t.gather(joined, g, buddy)
		for i := range 2 * span {
			t.dir[start&^span+i] = joined
		}
		t.draw(start&^span, 2*span)
		t.accountCells(joined.overhead() - g.overhead() - buddy.overhead())
		g.release(t.blocks)
		buddy.release(t.blocks)
		t.gen++
		merged = true
		if g.depth == t.depth {
			t.shrink()
		}
	}
}

// shrink notes that two of the deepest segments were merged, and halves the directory
// after the last of them.
func (t *table) shrink() {
	if t.deepest -= 2; t.deepest > 0 {
		return
	}
	dir := make([]*segment, len(t.dir)/2)
	for i := range dir {
		dir[i] = t.dir[2*i]
	}
	t.account(-int64(len(dir)) * dirEntryBytes)
	t.dir, t.depth = dir, t.depth-1
	t.draw(0, len(dir))
	t.segments(func(g *segment) bool {
		if g.depth == t.depth {
			t.deepest++
		}
		return true
	})
}

const (
	dirEntryBytes = 24 // with its place in the chart

	// mergeCells and mergeBytes are how many cells two buddies have at most to be
	// merged, and how large: a third of what lets a segment split again.
	mergeCells = 256
	mergeBytes = blockBytes / 4
)

// remove takes the hash's cell and its values out, and tidies up behind it.
func (t *table) remove(g *segment, off uint32, slot int, hash uint64) {
	c := g.cell(off)
	t.dropValue(c)
	if c.has(cellBigKey) {
		t.account(-int64(len(t.keyOf(c))) - valueOverhead)
		t.dropAt(c.bigKey())
	}
	if c.expireAt() != NoExpiry {
		t.expire.Add(-1)
	}
	t.accountCells(-int64(c.size()))
	g.unlink(slot)
	t.gen++
	if t.count.Add(-1) == 0 {
		t.reset()
	} else if !t.untidy {
		t.tidy(g, hash)
	}
}

// tidy lays the hash's segment out anew, or merges it with its buddy, if too much of it
// is empty by now.
func (t *table) tidy(g *segment, hash uint64) {
	switch {
	case g.sparse() || g.live == 0:
		if !t.merge(hash) && g.sparse() {
			t.rebuild(g, hash, slotsFor(g.live*3/2), g.liveBytes())
		}
	case g.wasteful():
		t.rebuild(g, hash, len(g.index), g.liveBytes())
	}
}

// dropValue frees what the cell's value refers to. The cell must be given another one,
// or go.
func (t *table) dropValue(c cell) {
	if c.refers() {
		i := c.value()
		t.account(-t.values.at(i).size())
		c.setKind(Int)
		t.dropAt(i)
	}
}

// dropAt frees a place of the slab, and tells the cell whose value moves there.
func (t *table) dropAt(i int64) {
	if from, hash := t.values.drop(i); from >= 0 {
		t.dir[t.at(hash)].refer(hash, from, i)
	}
}

// each calls f for every cell of the table, segment by segment in the order of their
// hashes, until it returns false. f must not change the table.
func (t *table) each(f func(g *segment, slot int, c cell) bool) {
	t.segments(func(g *segment) bool {
		more := true
		g.each(func(slot int, c cell) bool {
			more = f(g, slot, c)
			return more
		})
		return more
	})
}

// segments calls f for every segment in the order of their hashes, until it returns
// false. f must not change the table.
func (t *table) segments(f func(g *segment) bool) {
	for i := 0; i < len(t.dir); {
		g := t.dir[i]
		if !f(g) {
			return
		}
		i += 1 << (t.depth - g.depth)
	}
}

func (t *table) account(n int64) {
	t.heap += n
	t.mem.Add(n)
}

func (t *table) accountCells(n int64) {
	t.cells += n
	t.blocks.used.Add(n)
}

// free gives the memory of all segments back.
func (t *table) free() {
	t.segments(func(g *segment) bool {
		g.release(t.blocks)
		return true
	})
}

// reset forgets everything; a snapshot that is under way may keep it.
func (t *table) reset() {
	if t.part.frozen != nil {
		t.part.frozen.adopt(t)
	}
	t.free()
	t.account(-t.heap)
	t.accountCells(-t.cells)
	t.dir, t.depth, t.deepest, t.values = nil, 0, 0, slab{}
	t.expected = 0 // else all that room would be made again for the next key, and the next
	t.chart.Store(nil)
	t.count.Store(0)
	t.expire.Store(0)
	t.gen++
}
