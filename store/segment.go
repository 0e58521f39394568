package store

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

const (
	segmentMinSlots = 8
	segmentMaxSlots = 1024

	slotEmpty     = 0
	slotTombstone = 1 // no cell starts at arena offset 1

	// arenaStart keeps offset 0 and 1 free for the two marks above.
	arenaStart = 2

	offsetBits = 24
	offsetMask = 1<<offsetBits - 1
)

// segment is an open-addressing table of at most a thousand cells whose hashes share
// their leading depth bits. Index and arena lie in one block, which holds no pointer.
//
// A block is full of cells at last and splits, but where their hashes agree in more
// leading bits than a table has cells ([table.maySplit]): there it makes place for a
// larger one. alloc panics before an arena offset wraps at 24 bits.
type segment struct {
	index []uint32 // fingerprint (8 bits) and arena offset (24 bits); linear probing
	arena []byte   // what is used of the room for cells, which its capacity is
	// nextExpiry is a lower bound of the earliest expiry (Unix ms) of the segment's
	// cells: until it is past, a sweep passes by.
	nextExpiry int64
	// snapshot is the number of the last one that has seen the segment.
	snapshot uint32
	depth    uint8

	live int // cells
	used int // index slots that are not empty: live ones and tombstones
	dead int // arena bytes of removed cells, whose kind is None

	_ [2*cacheLine - 88]byte // makes it two lines, of which the first has what is looked at most
}

const slotBytes = 4

// cacheLine is the size of a processor's cache lines, in bytes.
const cacheLine = 64

// newSegment returns an empty segment with room for so many bytes of cells at least.
func newSegment(b *blocks, slots, room int, depth uint8) *segment {
	block := b.take(segmentBytes(slots, room))
	index := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(block))), slots)
	clear(index)
	at := slots * slotBytes
	return &segment{index: index, arena: block[at : at+arenaStart], depth: depth, nextExpiry: NoExpiry}
}

// segmentBytes returns what so many slots and bytes of cells take of a block.
func segmentBytes(slots, room int) int { return slots*slotBytes + arenaStart + room }

// release gives the segment's block back. Its cells are gone.
func (g *segment) release(b *blocks) {
	at := len(g.index) * slotBytes
	block := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(g.index))), at+cap(g.arena))
	b.give(block, at+len(g.arena))
	g.index, g.arena = nil, nil
}

func fingerprint(hash uint64) uint32 { return uint32(hash>>32) << offsetBits }

// full reports whether one more cell would make probing slow.
func (g *segment) full() bool { return (g.used+1)*4 > len(g.index)*3 }

// find returns the arena offset of the key's cell and its index slot; 0 when absent.
func (g *segment) find(t *table, key []byte, hash uint64) (off uint32, slot int) {
	mask := uint64(len(g.index) - 1)
	fp := fingerprint(hash)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := g.index[i]
		if s == slotEmpty {
			return 0, 0
		}
		if s&^offsetMask == fp && s != slotTombstone && bytes.Equal(t.keyOf(g.cell(s&offsetMask)), key) {
			return s & offsetMask, int(i)
		}
	}
}

func (g *segment) cell(off uint32) cell { return cell(g.arena[off:]) }

// link enters a cell that is not yet in the index and returns its slot.
func (g *segment) link(hash uint64, off uint32) int {
	mask := uint64(len(g.index) - 1)
	i := hash & mask
	for g.index[i] != slotEmpty {
		i = (i + 1) & mask
	}
	g.index[i] = fingerprint(hash) | off
	g.live++
	g.used++
	return int(i)
}

// unlink removes the cell of an index slot. Where a probe would end anyway it leaves
// no tombstone, and takes those before it along.
func (g *segment) unlink(slot int) {
	g.bury(g.cell(g.index[slot] & offsetMask))
	g.live--
	g.index[slot] = slotTombstone
	mask := len(g.index) - 1
	if g.index[(slot+1)&mask] != slotEmpty {
		return
	}
	for ; g.index[slot] == slotTombstone; slot = (slot - 1) & mask {
		g.index[slot] = slotEmpty
		g.used--
	}
}

// bury gives the room of a cell up.
func (g *segment) bury(c cell) {
	c.setKind(None)
	g.dead += c.size()
}

// refer makes the cell of a hash that refers to one place of the slab refer to another.
func (g *segment) refer(hash uint64, from, to int64) {
	mask := uint64(len(g.index) - 1)
	fp := fingerprint(hash)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := g.index[i]
		if s == slotEmpty {
			panic("store: a value without a cell")
		}
		if s&^offsetMask != fp || s == slotTombstone {
			continue
		}
		switch c := g.cell(s & offsetMask); {
		case c.refers() && c.value() == from:
			c.setValue(to)
			return
		case c.has(cellBigKey) && c.bigKey() == from:
			c.setBigKey(to)
			return
		}
	}
}

// fits reports whether the arena has room for n more bytes.
func (g *segment) fits(n int) bool { return len(g.arena)+n <= cap(g.arena) }

// alloc takes n bytes of the arena, which must fit.
func (g *segment) alloc(n int) uint32 {
	off := len(g.arena)
	if off+n > offsetMask {
		panic("store: too many keys share a hash")
	}
	g.arena = g.arena[:off+n]
	return uint32(off)
}

// put copies a whole cell in and links it.
func (g *segment) put(c cell, hash uint64) {
	n := c.size()
	off := g.alloc(n)
	copy(g.arena[off:], c[:n])
	g.link(hash, off)
	g.expiresBy(c.expireAt())
}

// expiresBy lowers the bound of the earliest expiry.
func (g *segment) expiresBy(at int64) {
	if at != NoExpiry && (g.nextExpiry == NoExpiry || at < g.nextExpiry) {
		g.nextExpiry = at
	}
}

// each calls f for every cell, until it returns false.
func (g *segment) each(f func(slot int, c cell) bool) {
	for i, s := range g.index {
		if s > slotTombstone && !f(i, g.cell(s&offsetMask)) {
			return
		}
	}
}

// inOrder calls f for every cell in the order in which they lie in the arena: far faster
// than in the index's, when they have to come from memory.
func (g *segment) inOrder(f func(c cell)) {
	for at := arenaStart; at < len(g.arena); {
		c := g.cell(uint32(at))
		at += c.size()
		if c.kind() != None {
			f(c)
		}
	}
}

// liveBytes is what the cells take of the arena.
func (g *segment) liveBytes() int { return len(g.arena) - arenaStart - g.dead }

// wasteful reports whether dead cells take enough of the arena to lay it out anew.
func (g *segment) wasteful() bool { return g.dead > wastefulBytes && g.dead*4 > len(g.arena) }

// sparse reports whether the index is far too large for its cells.
func (g *segment) sparse() bool { return len(g.index) > segmentMinSlots && g.live*4 < len(g.index) }

// overhead is the memory the segment takes beside its cells. The arena's dead and spare
// bytes are not in it: as in any allocator they are fragmentation, which [table.remove]
// and [table.room] keep below half of what is alive. So removing a cell lowers the
// store's sum at once, which eviction relies on.
func (g *segment) overhead() int64 { return int64(len(g.index))*slotBytes + segmentOverhead }

const (
	segmentOverhead = 2 * cacheLine
	wastefulBytes   = 1024
)

// slotsFor returns the index size for a number of cells.
func slotsFor(cells int) int {
	n := segmentMinSlots
	for n*5 < cells*8 { // a load of at most five eighths right after a rebuild
		n *= 2
	}
	return n
}

// newCell lays out an empty cell for a key at off, whose bytes are zero or stale.
func (g *segment) newCell(off uint32, flags byte, key []byte) cell {
	c := g.cell(off)
	clear(c[:cellHeader])
	c[0] = flags
	binary.LittleEndian.PutUint16(c[cellKeyLenAt:], uint16(len(key)))
	if flags&cellHasExpiry != 0 {
		c.setExpiryRoom(NoExpiry)
	}
	copy(c[c.keyAt():], key)
	return c
}
