package table

import (
	"slices"
	"unsafe"
)

// savedHeads records how a segment was when the snapshot began. The segment has changed since, and
// has no copy yet. savedHeads exists for speed alone.
//
// What it is: the heads of the cells that changed, as they were, and the end of the arena. The
// key behind a head never changes.
//
// What it brings: the transaction that changes the first cell of a segment saves 28 bytes instead
// of copying some 30 KB. Under load, nearly every request is the first to change its segment, and
// would make such a copy. Measure the longest and the usual delay of a write with
//
//	go test -run '^$' -bench BenchmarkLongestSnapshot ./store
//
// What it must never do: stand for a cell with an object in the slab. Objects move within the slab
// without notice ([segment.redirect]). The transaction copies the segment instead.
type savedHeads struct {
	arena int // used bytes of the arena
	heads []head
}

// head is the head of one cell before a change.
type head struct {
	off   uint32
	bytes [cellHeader + cellExpiry]byte // the cell's header, and its expiry if it has one
}

const (
	headBytes = int64(unsafe.Sizeof(head{}))
	firstRoom = 16  // heads for which there is room at once
	mostHeads = 256 // then the segment is copied: the same cells may change again and again
)

// restore turns a copy of the segment's arena into the arena at the beginning of the snapshot. If a cell
// has several saved heads, the first one counts.
func (s *savedHeads) restore(arena []byte) []byte {
	arena = arena[:s.arena]
	for _, h := range slices.Backward(s.heads) {
		c := Cell(h.bytes[:])
		copy(arena[h.off:], c[:c.keyAt()])
	}
	return arena
}

func (s *savedHeads) bytes() int64 { return int64(unsafe.Sizeof(*s)) + int64(cap(s.heads))*headBytes }
