package store

import (
	"bytes"
	"encoding/binary"
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
// their leading depth bits. Neither part of it holds a pointer.
//
// Arena offsets have 24 bits, which is plenty: at most 896 cells of at most 1046 bytes
// are alive, and the arena grows only while less than a quarter of it is dead, so it
// stays below 1.5 MB. Only hashes that agree in more leading bits than a table has
// cells ([table.maySplit]) could fill it further; alloc panics before an offset wraps.
type segment struct {
	index []uint32 // fingerprint (8 bits) and arena offset (24 bits); linear probing
	arena []byte
	live  int // cells
	used  int // index slots that are not empty: live ones and tombstones
	dead  int // arena bytes of removed cells
	depth uint8
	// nextExpiry is a lower bound of the earliest expiry (Unix ms) of the segment's
	// cells: until it is past, a sweep passes by.
	nextExpiry int64
}

func newSegment(slots int, depth uint8) *segment {
	return &segment{index: make([]uint32, slots), arena: make([]byte, arenaStart, arenaStart+slots*4), depth: depth, nextExpiry: NoExpiry}
}

func fingerprint(hash uint64) uint32 { return uint32(hash>>32) << offsetBits }

// full reports whether one more cell would make probing slow.
func (g *segment) full() bool { return (g.used+1)*8 > len(g.index)*7 }

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
	g.dead += g.cell(g.index[slot] & offsetMask).size()
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

// room makes the arena large enough for n more bytes. It grows by an eighth, so that
// little of it is ever idle.
func (g *segment) room(n int) {
	if need := len(g.arena) + n; need > cap(g.arena) {
		grown := make([]byte, len(g.arena), max(need, need+need/8))
		copy(grown, g.arena)
		g.arena = grown
	}
}

// alloc reserves n bytes in the arena.
func (g *segment) alloc(n int) uint32 {
	off := len(g.arena)
	if off+n > offsetMask {
		panic("store: too many keys share a hash")
	}
	g.room(n)
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

// liveBytes is what the cells take of the arena.
func (g *segment) liveBytes() int { return len(g.arena) - arenaStart - g.dead }

// wasteful reports whether dead cells take enough of the arena to lay it out anew.
func (g *segment) wasteful() bool { return g.dead > wastefulBytes && g.dead*4 > len(g.arena) }

// sparse reports whether the index is far too large for its cells.
func (g *segment) sparse() bool { return len(g.index) > segmentMinSlots && g.live*4 < len(g.index) }

// overhead is the memory the segment takes beside its cells. The arena's dead and spare
// bytes are not in it: as in any allocator they are fragmentation, which [table.remove]
// and [table.alloc] keep below half of what is alive. So removing a cell lowers the
// store's sum at once, which eviction relies on.
func (g *segment) overhead() int64 { return int64(len(g.index))*4 + segmentOverhead }

const (
	segmentOverhead = 96
	wastefulBytes   = 1024
)

// slotsFor returns the index size for a number of cells.
func slotsFor(cells int) int {
	n := segmentMinSlots
	for n*3 < cells*4 { // a load of at most three quarters right after a rebuild
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
