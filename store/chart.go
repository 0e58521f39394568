package store

import (
	"sync/atomic"
	"unsafe"
)

// chart tells whoever does not hold the partition's lock where the segments of a table lie. It is for
// asking for memory that will be wanted, and for nothing else: it may be out of date, and then what it
// leads to is of something else. But that memory is always mapped.
type chart struct {
	depth  uint8
	places []place // by the leading depth bits of a hash
}

// place is where the index of a segment lies, which its arena follows.
type place struct {
	slots atomic.Pointer[[segmentMaxSlots]atomic.Uint32] // nil when its block may be unmapped one day
	mask  atomic.Uint32                                  // number of slots - 1
	end   atomic.Uint32                                  // of what is used of the arena, for the last key that came here
}

// draw notes in the chart where the segments of n directory entries lie.
func (t *table) draw(start, n int) {
	if blocksOnHeap {
		return // which the garbage collector may use for anything
	}
	c := t.chart.Load()
	if c == nil || len(c.places) != len(t.dir) {
		c = &chart{depth: t.depth, places: make([]place, len(t.dir))}
		start, n = 0, len(t.dir)
		defer t.chart.Store(c)
	}
	for i := start; i < start+n; i++ {
		c.places[i].be(t.dir[i])
	}
}

func (p *place) be(g *segment) {
	if len(g.index) > segmentMaxSlots || len(g.index)*slotBytes+cap(g.arena) != blockBytes {
		p.slots.Store(nil)
		return
	}
	p.mask.Store(uint32(len(g.index) - 1))
	p.end.Store(uint32(len(g.arena)))
	p.slots.Store((*[segmentMaxSlots]atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(g.index))))
}

// grew notes where the next cell of the segment of a hash will be. A segment with several places
// tells one of them: the others lead to where some other cell was written not long ago.
func (c *chart) grew(hash uint64, end int) {
	if c != nil {
		c.place(hash).end.Store(uint32(end))
	}
}

func (c *chart) place(hash uint64) *place {
	if c.depth == 0 {
		return &c.places[0]
	}
	return &c.places[hash>>(64-c.depth)]
}

// indexLine returns the cache line of the index where a probe for a hash begins, nil if it is not known.
func (c *chart) indexLine(hash uint64) unsafe.Pointer {
	if c == nil {
		return nil
	}
	p := c.place(hash)
	slots := p.slots.Load()
	if slots == nil {
		return nil
	}
	return unsafe.Pointer(&slots[hash&uint64(p.mask.Load())&^(cacheLine/slotBytes-1)])
}

// cell returns where a cell of a hash lies, or of one much like it, or where it would be made; nil if
// that is not known.
func (c *chart) cell(hash uint64) unsafe.Pointer {
	if c == nil {
		return nil
	}
	p := c.place(hash)
	slots, mask := p.slots.Load(), uint64(p.mask.Load())
	if slots == nil {
		return nil
	}
	arena := unsafe.Add(unsafe.Pointer(slots), uint32(mask+1)*slotBytes)
	fp, i := fingerprint(hash), hash&mask
	for range longProbe {
		s := slots[i].Load()
		if s == slotEmpty {
			return unsafe.Add(arena, p.end.Load())
		}
		if s&^offsetMask == fp && s != slotTombstone {
			return unsafe.Add(arena, s&offsetMask)
		}
		i = (i + 1) & mask
	}
	return nil
}

// longProbe is after how many slots a cell is not looked for any more: few lie so far from their place.
const longProbe = 16
