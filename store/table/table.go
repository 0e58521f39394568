package table

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync/atomic"

	"cellserver/store/memory"
	"cellserver/store/value"
)

// Table is the part of one database that lies in one partition: an extendible hash table. Its
// directory has 2^depth entries; several may name the same segment until that one splits. The
// zero value is not ready: call [Table.Init].
type Table struct {
	// The fields that finding and changing a cell read come first: they are one cache line.
	dir       []*segment
	gen       uint64                      // grows whenever a cell may have moved or come
	keeper    **Keeper                    // of the partition; nil if no snapshot and no undo needs the old cells
	segmap    *atomic.Pointer[SegmentMap] // for prefetching
	depth     uint8
	deferTidy bool  // removing a cell does not tidy up; the caller does so at the end
	db        int32 // number of the database

	hashing
	deepest int // segments as deep as the directory; at 0 the directory is halved
	objects slab
	sizes

	reserved int // number of cells for which the first insert makes room
	_        [3*CacheLine - 184]byte
}

// Shared is the state that all tables of a store share.
type Shared struct {
	Seed   maphash.Seed
	Blocks *memory.Blocks // the memory of segments; counts their bytes
	Heap   *atomic.Int64  // the sum of the bytes that tables take of Go's heap
}

// Init makes the table of a database ready. keeper is the place where the partition's [Keeper]
// stands; segmap is the place for the table's [SegmentMap].
func (t *Table) Init(s *Shared, db int, keeper **Keeper, segmap *atomic.Pointer[SegmentMap]) {
	t.seed, t.hashMask, t.heapUsed, t.blocks = s.Seed, math.MaxUint64, s.Heap, s.Blocks
	t.db, t.keeper, t.segmap = int32(db), keeper, segmap
}

// Len returns the number of cells, expired ones included. It may be called without the lock.
func (t *Table) Len() int64 { return t.count.Load() }

// Volatile returns the number of cells with an expiry. It may be called without the lock.
func (t *Table) Volatile() int64 { return t.volatile.Load() }

// Hash returns the hash of a key. All tables of a store hash alike.
func (t *Table) Hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) & t.hashMask }

// Has reports whether the key is there, expired or not.
func (t *Table) Has(key []byte) bool {
	_, off, _ := t.find(key, t.Hash(key))
	return off != 0
}

// HasExpired reports whether the key is there and has expired at now (Unix nanoseconds).
func (t *Table) HasExpired(key []byte, now int64) bool {
	g, off, _ := t.find(key, t.Hash(key))
	return off != 0 && g.cell(off).Expired(now)
}

// entryOf returns the directory entry of a hash.
func (t *Table) entryOf(hash uint64) int {
	if t.depth == 0 {
		return 0
	}
	return int(hash >> (64 - t.depth))
}

// KeyOf returns the key of a cell.
func (t *Table) KeyOf(c Cell) []byte { return c.key(&t.objects) }

// Find makes p the place of a key with the given hash ([Table.Hash]). It does not look at the
// expiry.
func (t *Table) Find(p *Place, key []byte, hash uint64) {
	p.t, p.key, p.hash, p.gen, p.off = t, key, hash, t.gen, 0
	if t.dir == nil {
		return
	}
	g := t.dir[t.entryOf(hash)]
	off, slot := g.find(&t.objects, key, hash)
	p.g, p.off, p.slot = g, off, uint32(slot)
}

// find returns the segment, the offset and the index slot of the key's cell. The offset is 0 if
// the key is absent.
func (t *Table) find(key []byte, hash uint64) (g *segment, off uint32, slot int) {
	if t.dir == nil {
		return nil, 0, 0
	}
	g = t.dir[t.entryOf(hash)]
	off, slot = g.find(&t.objects, key, hash)
	return g, off, slot
}

// makeFirst makes the segments of a table without segments. If there is no memory, it panics with
// [memory.ErrExhausted].
func (t *Table) makeFirst() {
	if !t.makeSegments() {
		panic(memory.ErrExhausted)
	}
}

// prepare makes room for the cell of a key that is absent. If there is no memory, it panics with
// [memory.ErrExhausted], and no key has changed. An insert that follows needs no more memory.
func (t *Table) prepare(key []byte, hash uint64) {
	if t.dir == nil {
		t.makeFirst()
	}
	t.room(hash, cellHeader+cellExpiry+min(len(key), inlineKeyMax))
}

// insert makes a cell for a key that is absent. If there is no memory, it panics with
// [memory.ErrExhausted], and nothing has changed.
func (t *Table) insert(key []byte, hash uint64, expiryRoom bool) (g *segment, off uint32, slot int) {
	if t.dir == nil {
		t.makeFirst()
	}
	if len(key) > inlineKeyMax {
		t.prepare(key, hash)
	}
	t.saveAbsent(t.dir[t.entryOf(hash)], key)
	flags, size := byte(0), cellHeader
	if len(key) > inlineKeyMax {
		big := t.objects.put(textObject(append(make([]byte, 0, len(key)), key...), hash))
		t.addHeap(int64(len(key)) + objectBytes)
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

// alloc takes n bytes for a cell in the hash's segment and counts them. They are those of a dead cell, if
// nobody must still see that cell.
func (t *Table) alloc(hash uint64, n int) (g *segment, off uint32) {
	if g = t.dir[t.entryOf(hash)]; *t.keeper == nil && !g.full() {
		off = g.reuse(n)
	}
	if off == 0 {
		g = t.room(hash, n)
		off = g.alloc(n)
	}
	t.addCells(int64(n))
	t.segmap.Load().setNext(hash, g)
	return g, off
}

// remove takes the hash's cell and its objects out, and tidies up its segment.
func (t *Table) remove(g *segment, off uint32, slot int, hash uint64) {
	c := g.cell(off)
	t.dropObject(c)
	if c.has(cellBigKey) {
		t.addHeap(-int64(len(t.KeyOf(c))) - objectBytes)
		t.dropAt(c.bigKey())
	}
	if c.ExpireAt() != NoExpiry {
		t.volatile.Add(-1)
	}
	t.addCells(-int64(c.size()))
	g.unlink(slot)
	t.segmap.Load().setNext(hash, g)
	t.gen++
	if t.count.Add(-1) == 0 {
		t.Reset()
	} else if !t.deferTidy {
		t.tidy(g, hash)
	}
}

// dropObject frees the object that the cell refers to, if any. The cell must get another value,
// or go.
func (t *Table) dropObject(c Cell) {
	if c.refers() {
		i := c.Int()
		t.addHeap(-t.objects.at(i).size())
		c.setKind(value.Int)
		t.dropAt(i)
	}
}

// dropAt frees a place of the slab. If another object moves there, dropAt updates the cell of that
// object.
func (t *Table) dropAt(i int64) {
	if from, hash := t.objects.drop(i); from >= 0 {
		t.dir[t.entryOf(hash)].redirect(hash, from, i)
	}
}

// addHeap counts bytes of Go's heap: of the directory and of objects.
func (t *Table) addHeap(n int64) {
	t.heap += n
	t.heapUsed.Add(n)
}

// addCells counts bytes of segments.
func (t *Table) addCells(n int64) {
	t.cells += n
	t.blocks.AddUsed(n)
}

// free gives the memory of all segments back.
func (t *Table) free() {
	t.segments(func(g *segment) bool {
		g.release(t.blocks)
		return true
	})
}

// Reset removes everything. A running snapshot keeps what it must still see.
func (t *Table) Reset() {
	if k := *t.keeper; k != nil && k.Snapshot != nil {
		k.Snapshot.adopt(t)
	}
	t.free()
	t.addHeap(-t.heap)
	t.addCells(-t.cells)
	t.dir, t.depth, t.deepest, t.objects = nil, 0, 0, slab{}
	t.reserved = 0 // otherwise each first key of an emptied table would make all that room
	t.segmap.Store(nil)
	t.count.Store(0)
	t.volatile.Store(0)
	t.gen++
}

// Detach is Reset that returns a table with the contents, nil if there are no cells. Attach them, or
// Free them.
func (t *Table) Detach() *Table {
	if t.Len() == 0 {
		t.Reset()
		return nil
	}
	d := &Table{
		hashing: t.hashing, db: t.db, keeper: t.keeper,
		dir: t.dir, depth: t.depth, deepest: t.deepest, objects: t.objects,
	}
	d.blocks, d.heap, d.cells = t.blocks, t.heap, t.cells
	d.count.Store(t.count.Load())
	d.volatile.Store(t.volatile.Load())
	if k := *t.keeper; k != nil && k.Snapshot != nil {
		k.Snapshot.moved(t, d)
	}
	t.dir = nil // the memory is no longer the table's
	t.Reset()
	return d
}

// Attach makes the table have what Detach has returned, and nothing else.
func (t *Table) Attach(d *Table) {
	t.Reset()
	if k := *t.keeper; k != nil && k.Snapshot != nil && !k.Snapshot.moved(d, t) {
		d.segments(func(g *segment) bool {
			g.snapshot = k.Snapshot.number
			return true
		})
	}
	t.dir, t.depth, t.deepest, t.objects = d.dir, d.depth, d.deepest, d.objects
	t.addHeap(d.heap)
	t.addCells(d.cells)
	t.count.Store(d.Len())
	t.volatile.Store(d.Volatile())
	t.publish(0, len(t.dir))
	d.dir = nil
}

// Free gives the memory of a detached table back, as soon as a running snapshot has read it.
func (t *Table) Free() {
	if k := *t.keeper; k == nil || k.Snapshot == nil || !k.Snapshot.adoptDetached(t) {
		t.free()
	}
	t.dir = nil
}

// Bytes returns the memory that the table takes.
func (t *Table) Bytes() int64 { return t.heap + t.cells }

// Swap exchanges the contents of two tables of one partition, for SWAPDB.
func (t *Table) Swap(o *Table) {
	if k := *t.keeper; k != nil && k.Snapshot != nil {
		k.Snapshot.swap(t, o)
	}
	t.dir, o.dir = o.dir, t.dir
	t.depth, o.depth = o.depth, t.depth
	t.segmap.Store(o.segmap.Swap(t.segmap.Load()))
	t.deepest, o.deepest = o.deepest, t.deepest
	t.objects, o.objects = o.objects, t.objects
	t.heap, o.heap = o.heap, t.heap
	t.cells, o.cells = o.cells, t.cells
	t.count.Store(o.count.Swap(t.count.Load()))
	t.volatile.Store(o.volatile.Swap(t.volatile.Load()))
	t.gen++
	o.gen++
}
