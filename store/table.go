package store

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
)

// table is one database's share of one partition: an extendible hash table. The
// directory has 2^depth entries; several may name the same segment until it splits.
// The partition's lock guards everything here but count.
type table struct {
	dir    []*segment
	depth  uint8
	seed   maphash.Seed
	values slab
	count  atomic.Int64  // cells; written under the lock, read by DBSIZE without it
	expire int           // cells with an expiry
	gen    uint64        // changes whenever a cell may have moved, so an Entry knows to look again
	bytes  int64         // memory of directory, segments and values
	mem    *atomic.Int64 // the store's sum of bytes
}

func (t *table) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

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
		return t.values.at(int64(binary.LittleEndian.Uint32(k))).bytes
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
func (t *table) insert(key []byte, hash uint64, expiryRoom bool) (*segment, uint32) {
	if t.dir == nil {
		t.dir = []*segment{newSegment(segmentMinSlots, 0)}
		t.account(t.dir[0].bytes())
	}
	flags := byte(0)
	if len(key) > inlineKeyMax {
		big := t.values.put(value{bytes: append([]byte(nil), key...)})
		t.account(int64(len(key)) + valueOverhead)
		flags |= cellBigKey
		key = binary.LittleEndian.AppendUint32(nil, uint32(big))
	}
	if expiryRoom {
		flags |= cellHasExpiry
	}
	g := t.segmentFor(hash)
	size := cellHeader + len(key)
	if expiryRoom {
		size += cellExpiry
	}
	off := t.alloc(g, size)
	g.newCell(off, flags, key)
	g.link(hash, off)
	t.count.Add(1)
	return g, off
}

// segmentFor returns the hash's segment with room for one more index slot.
func (t *table) segmentFor(hash uint64) *segment {
	for {
		g := t.dir[t.at(hash)]
		if !g.full() {
			return g
		}
		if slots := slotsFor(g.live + 1); slots <= segmentMaxSlots {
			t.rebuild(g, slots)
			return g
		}
		t.split(g)
	}
}

// alloc reserves arena bytes in g and accounts for the growth. Much dead room is
// reclaimed first.
func (t *table) alloc(g *segment, n int) uint32 {
	if len(g.arena)+n > cap(g.arena) && g.dead*4 > len(g.arena) {
		t.rebuild(g, len(g.index))
	}
	before := cap(g.arena)
	off := g.alloc(n)
	t.account(int64(cap(g.arena) - before))
	return off
}

// rebuild lays a segment out anew, without tombstones and dead bytes.
func (t *table) rebuild(g *segment, slots int) {
	fresh := newSegment(slots, g.depth)
	fresh.room(len(g.arena) - g.dead)
	g.each(func(_ int, c cell) bool {
		fresh.put(c, t.hash(t.keyOf(c)))
		return true
	})
	t.account(fresh.bytes() - g.bytes())
	*g = *fresh
	t.gen++
}

// split divides a full segment in two by the next bit of the hash, and doubles the
// directory when it has no entry to tell the halves apart.
func (t *table) split(g *segment) {
	if g.depth == t.depth {
		t.grow()
	}
	halves := [2]*segment{newSegment(segmentMaxSlots, g.depth+1), newSegment(segmentMaxSlots, g.depth+1)}
	var first uint64
	g.each(func(_ int, c cell) bool {
		h := t.hash(t.keyOf(c))
		first = h
		halves[h>>(63-g.depth)&1].put(c, h)
		return true
	})
	// The entries of g are 2^(depth-g.depth) neighbours.
	span := 1 << (t.depth - g.depth)
	start := t.at(first) &^ (span - 1)
	for i := range span {
		t.dir[start+i] = halves[i/(span/2)]
	}
	t.account(halves[0].bytes() + halves[1].bytes() - g.bytes())
	t.gen++
}

func (t *table) grow() {
	dir := make([]*segment, 2*len(t.dir))
	for i, g := range t.dir {
		dir[2*i], dir[2*i+1] = g, g
	}
	t.account(int64(len(t.dir)) * 8)
	t.dir, t.depth = dir, t.depth+1
}

// remove takes a cell and its values out, and gives memory back once a segment is
// mostly empty.
func (t *table) remove(g *segment, off uint32, slot int) {
	c := g.cell(off)
	t.dropValue(c)
	if c.has(cellBigKey) {
		t.account(-int64(len(t.keyOf(c))) - valueOverhead)
		t.values.drop(int64(binary.LittleEndian.Uint32(c.keyBytes())))
	}
	if c.expireAt() != NoExpiry {
		t.expire--
	}
	g.unlink(slot)
	t.gen++
	if t.count.Add(-1) == 0 {
		t.reset()
	} else if len(g.index) > segmentMinSlots && g.live*4 < len(g.index) {
		t.rebuild(g, slotsFor(2*g.live))
	}
}

// dropValue frees what the cell's value refers to.
func (t *table) dropValue(c cell) {
	if k := c.kind(); k == Raw || k == Sorted {
		v := t.values.at(c.value())
		t.account(-v.size())
		t.values.drop(c.value())
	}
}

// each calls f for every cell of the table, segment by segment in the order of their
// hashes, until it returns false. f must not change the table.
func (t *table) each(f func(g *segment, slot int, c cell) bool) {
	more := true
	for i := 0; i < len(t.dir) && more; {
		g := t.dir[i]
		g.each(func(slot int, c cell) bool {
			more = f(g, slot, c)
			return more
		})
		i += 1 << (t.depth - g.depth)
	}
}

func (t *table) account(n int64) {
	t.bytes += n
	t.mem.Add(n)
}

// reset forgets everything.
func (t *table) reset() {
	t.account(-t.bytes)
	t.dir, t.depth, t.values = nil, 0, slab{}
	t.count.Store(0)
	t.expire = 0
	t.gen++
}
