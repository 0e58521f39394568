package table

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"cellserver/store/memory"
	"cellserver/store/value"
)

const (
	segmentMinSlots = 8
	segmentMaxSlots = 1024

	slotEmpty     = 0
	slotTombstone = 1 // no cell starts at arena offset 1

	// arenaStart keeps offsets 0 and 1 free for the two marks above.
	arenaStart = 2

	offsetBits = 24
	offsetMask = 1<<offsetBits - 1

	slotBytes = 4
)

// CacheLine is the size of a processor's cache lines, in bytes.
const CacheLine = 64

// segment is an open-addressing hash table of cells whose hashes share their leading depth
// bits. Index and arena lie in one block, which holds no pointer.
//
// A segment that fills its block splits. If its hashes agree in more leading bits than the
// table has cells ([Table.maySplit]), it moves to a larger block instead. alloc panics before
// an arena offset exceeds 24 bits.
type segment struct {
	index []uint32 // fingerprint (8 bits) and arena offset (24 bits); linear probing
	arena []byte   // the used part; its capacity is the room for cells
	// nextExpiry is a lower bound of the earliest expiry (Unix ms) of the segment's cells. A
	// sweep skips the segment until that time.
	nextExpiry int64
	// snapshot is the number of the last snapshot that has copied the segment, or need not.
	snapshot uint32
	depth    uint8

	live int // cells
	used int // index slots that are not empty: cells and tombstones
	dead int // arena bytes of removed cells, whose kind is None

	// hole is the offset of a dead cell, 0 if there is none. The integer of a dead cell is the offset of
	// the next one.
	hole uint32

	_ [2*CacheLine - 92]byte // two cache lines; the fields that lookups read are in the first
}

// newSegment returns an empty segment with room for at least room bytes of cells, nil if there is no
// memory.
func newSegment(b *memory.Blocks, slots, room int, depth uint8) *segment {
	block := b.Take(segmentBytes(slots, room))
	if block == nil {
		return nil
	}
	index := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(block))), slots)
	clear(index)
	at := slots * slotBytes
	return &segment{index: index, arena: block[at : at+arenaStart], depth: depth, nextExpiry: NoExpiry}
}

// segmentBytes returns the bytes of a block that slots and room for cells take.
func segmentBytes(slots, room int) int { return slots*slotBytes + arenaStart + room }

// release gives the segment's block back. Its cells are gone.
func (g *segment) release(b *memory.Blocks) {
	at := len(g.index) * slotBytes
	block := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(g.index))), at+cap(g.arena))
	b.Give(block, at+len(g.arena))
	g.index, g.arena = nil, nil
}

// fillsBlock reports whether the segment's block is one of the usual size.
func (g *segment) fillsBlock() bool {
	return len(g.index)*slotBytes+cap(g.arena) == memory.BlockBytes
}

func fingerprint(hash uint64) uint32 { return uint32(hash>>32) << offsetBits }

// full reports whether one more cell would make probing slow.
func (g *segment) full() bool { return (g.used+1)*4 > len(g.index)*3 }

// find returns the arena offset of the key's cell and its index slot. The offset is 0 if the
// key is absent.
func (g *segment) find(objects *slab, key []byte, hash uint64) (off uint32, slot int) {
	mask := uint64(len(g.index) - 1)
	fp := fingerprint(hash)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := g.index[i]
		if s == slotEmpty {
			return 0, 0
		}
		if s&^offsetMask == fp && s != slotTombstone && bytes.Equal(g.cell(s&offsetMask).key(objects), key) {
			return s & offsetMask, int(i)
		}
	}
}

// key returns the cell's key, which may lie in the slab.
func (c Cell) key(objects *slab) []byte {
	if !c.has(cellBigKey) {
		return c.keyBytes()
	}
	return objects.at(c.bigKey()).bytes()
}

func (g *segment) cell(off uint32) Cell { return Cell(g.arena[off:]) }

// cellOf returns the cell of an index slot.
func (g *segment) cellOf(slot int) Cell { return g.cell(g.index[slot] & offsetMask) }

// link enters a cell that is not yet in the index and returns its slot.
func (g *segment) link(hash uint64, off uint32) int {
	mask := uint64(len(g.index) - 1)
	i := hash & mask
	for g.index[i] > slotTombstone {
		i = (i + 1) & mask
	}
	if g.index[i] == slotEmpty {
		g.used++
	}
	g.index[i] = fingerprint(hash) | off
	g.live++
	return int(i)
}

// unlink removes the cell of an index slot. If the next slot is empty, every probe ends there:
// then the slot, and the tombstones before it, become empty, too.
func (g *segment) unlink(slot int) {
	g.kill(g.index[slot] & offsetMask)
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

// kill marks the bytes of a cell as dead. They are room for a cell of the same size.
func (g *segment) kill(off uint32) {
	c := g.cell(off)
	c.setKind(value.None)
	c.setInt(int64(g.hole))
	g.dead += c.size()
	g.hole = off
}

// nextOffset is where the next cell will be, if it is as large as the last dead one.
func (g *segment) nextOffset() int {
	if g.hole != 0 {
		return int(g.hole)
	}
	return len(g.arena)
}

// reuse takes the room of one of the last dead cells that has n bytes. It returns 0 if there is none.
func (g *segment) reuse(n int) (off uint32) {
	off = g.hole
	for last, tries := Cell(nil), 0; off != 0 && tries < reuseTries; tries++ {
		c := g.cell(off)
		next := uint32(c.Int())
		if c.size() != n {
			last, off = c, next
			continue
		}
		if last == nil {
			g.hole = next
		} else {
			last.setInt(int64(next))
		}
		g.dead -= n
		return off
	}
	return 0
}

// redirect makes the cell of a hash that refers to one slab index refer to another.
func (g *segment) redirect(hash uint64, from, to int64) {
	mask := uint64(len(g.index) - 1)
	fp := fingerprint(hash)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := g.index[i]
		if s == slotEmpty {
			panic("store: no cell refers to an object of the slab")
		}
		if s&^offsetMask != fp || s == slotTombstone {
			continue
		}
		switch c := g.cell(s & offsetMask); {
		case c.refers() && c.Int() == from:
			c.setInt(to)
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
func (g *segment) put(c Cell, hash uint64) {
	n := c.size()
	off := g.alloc(n)
	copy(g.arena[off:], c[:n])
	g.link(hash, off)
	g.expiresBy(c.ExpireAt())
}

// expiresBy lowers the bound of the earliest expiry.
func (g *segment) expiresBy(at int64) {
	if at != NoExpiry && (g.nextExpiry == NoExpiry || at < g.nextExpiry) {
		g.nextExpiry = at
	}
}

// each calls f for every cell, until f returns false.
func (g *segment) each(f func(slot int, c Cell) bool) {
	for i, s := range g.index {
		if s > slotTombstone && !f(i, g.cell(s&offsetMask)) {
			return
		}
	}
}

// inOrder calls f for every cell in the order of the arena. That is far faster than the order
// of the index if the cells are not in the processor's caches.
func (g *segment) inOrder(f func(c Cell)) {
	for at := arenaStart; at < len(g.arena); {
		c := g.cell(uint32(at))
		at += c.size()
		if c.Kind() != value.None {
			f(c)
		}
	}
}

// liveBytes returns the bytes of the arena that cells take.
func (g *segment) liveBytes() int { return len(g.arena) - arenaStart - g.dead }

// wasteful reports whether dead cells take so much of the arena that a rebuild is worth it.
func (g *segment) wasteful() bool { return g.dead > wastefulBytes && g.dead*4 > len(g.arena) }

// sparse reports whether the index is far too large for its cells.
func (g *segment) sparse() bool { return len(g.index) > segmentMinSlots && g.live*4 < len(g.index) }

// overhead returns the memory of the segment besides its cells. It does not count dead and
// spare bytes of the arena: they are fragmentation, which [Table.remove] and [Table.room] keep
// below half of the live bytes. So removing a cell lowers the store's sum at once, and eviction
// relies on that.
func (g *segment) overhead() int64 { return int64(len(g.index))*slotBytes + segmentOverhead }

const (
	segmentOverhead = 2 * CacheLine
	wastefulBytes   = 1024
	reuseTries      = 4 // how many dead cells a new cell looks at
)

// slotsFor returns the index size for a number of cells. After a rebuild the index is filled by
// five eighths at most.
func slotsFor(cells int) int {
	n := segmentMinSlots
	for n*5 < cells*8 {
		n *= 2
	}
	return n
}

// newCell writes an empty cell for a key at off.
func (g *segment) newCell(off uint32, flags byte, key []byte) Cell {
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
