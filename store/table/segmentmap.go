package table

import (
	"sync/atomic"
	"unsafe"

	"cellserver/store/memory"
)

// SegmentMap has the addresses of the segments of one table, for goroutines that do not hold the
// partition's lock. It exists for speed alone.
//
// What it is: for each directory entry, the address of the segment's index, the number of its
// slots, and where its next cell will be. The table publishes every change; readers use atomic loads.
//
// What it brings: a transaction can prefetch a key's cell before it holds the lock. Two more locks
// for each key would cost more than prefetching saves. BenchmarkPrefetch of package store measures
// both together: 139 ns instead of 230 ns for a write of one in a million keys.
//
// What it must never do: be a source of facts. It may be out of date, and then an address leads
// to other bytes. Only prefetch instructions, and [Refers] and [Table.ObjectAddress], may use an address.
// The memory there stays mapped: a segment whose block may be unmapped is not in the map.
type SegmentMap struct {
	depth    uint8
	segments []segmentAddress // by the leading depth bits of a hash
}

// segmentAddress is the address of the index of a segment. The arena follows the index.
type segmentAddress struct {
	slots atomic.Pointer[[segmentMaxSlots]atomic.Uint32] // nil: do not prefetch
	mask  atomic.Uint32                                  // number of slots - 1
	next  atomic.Uint32                                  // the likely place of the next new cell in the arena
}

// longProbe is the number of slots after which CellAddress gives up. Few cells lie farther from the
// slot of their hash.
const longProbe = 16

// publishSegments enters the segments of n directory entries in the segment map, which lies at
// place. It makes another map if the directory has another size.
func publishSegments(place *atomic.Pointer[SegmentMap], dir []*segment, depth uint8, start, n int) {
	if memory.OnHeap {
		return // the garbage collector may reuse the memory
	}
	m := place.Load()
	if m == nil || len(m.segments) != len(dir) {
		m = &SegmentMap{depth: depth, segments: make([]segmentAddress, len(dir))}
		start, n = 0, len(dir)
		defer place.Store(m)
	}
	for i := start; i < start+n; i++ {
		m.segments[i].set(dir[i])
	}
}

func (a *segmentAddress) set(g *segment) {
	if len(g.index) > segmentMaxSlots || !g.fillsBlock() {
		a.slots.Store(nil)
		return
	}
	a.mask.Store(uint32(len(g.index) - 1))
	a.next.Store(uint32(g.nextOffset()))
	a.slots.Store((*[segmentMaxSlots]atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(g.index))))
}

// setNext notes where the next cell of g, the segment of a hash, will be. If several directory entries
// name the segment, only one of them is updated.
func (m *SegmentMap) setNext(hash uint64, g *segment) {
	if m != nil {
		m.segment(hash).next.Store(uint32(g.nextOffset()))
	}
}

func (m *SegmentMap) segment(hash uint64) *segmentAddress {
	if m.depth == 0 {
		return &m.segments[0]
	}
	return &m.segments[hash>>(64-m.depth)]
}

// IndexLine returns the cache line of the index where a probe for a hash begins, nil if it is
// not known. m may be nil.
func (m *SegmentMap) IndexLine(hash uint64) unsafe.Pointer {
	if m == nil {
		return nil
	}
	a := m.segment(hash)
	slots := a.slots.Load()
	if slots == nil {
		return nil
	}
	return unsafe.Pointer(&slots[hash&uint64(a.mask.Load())&^(CacheLine/slotBytes-1)])
}

// CellAddress returns the address of the cell of a hash, or nil if that is not known. The address
// may be that of another cell with the same fingerprint. Without a cell, it is the likely place of
// the next new cell. The head of a cell there lies in the block. m may be nil.
func (m *SegmentMap) CellAddress(hash uint64) unsafe.Pointer {
	if m == nil {
		return nil
	}
	a := m.segment(hash)
	slots, mask := a.slots.Load(), uint64(a.mask.Load())
	if slots == nil {
		return nil
	}
	arena, fp, i := uint32(mask+1)*slotBytes, fingerprint(hash), hash&mask
	for range longProbe {
		s := slots[i].Load()
		if s == slotEmpty {
			return inBlock(slots, arena+a.next.Load())
		}
		if s&^offsetMask == fp && s != slotTombstone {
			return inBlock(slots, arena+(s&offsetMask))
		}
		i = (i + 1) & mask
	}
	return nil
}

// inBlock returns the address of a cell at an offset in the block that begins with slots. It is nil if the
// head of the cell would end outside the block: the map was out of date.
func inBlock(slots *[segmentMaxSlots]atomic.Uint32, offset uint32) unsafe.Pointer {
	if offset > memory.BlockBytes-cellHeader {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(slots), offset)
}
