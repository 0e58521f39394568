package store

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// blockBytes is the room of a segment. Only the pages of a block that were written to
// take memory, so a segment grows without moving, and what it has to spare costs nothing.
const blockBytes = 64 << 10

// blocks hands out the memory of segments. It is no concern of the garbage collector: a
// segment gives its block back itself, and nothing of it may be read from then on.
type blocks struct {
	mu     sync.Mutex // guards everything below; taken after any partition's lock
	chunks [][]byte   // what the system mapped, for as long as the store lives
	rest   []byte     // of the newest chunk, never used
	idle   []idle     // given back, with pages that still take memory
	bare   [][]byte   // given back, with none
	busy   int        // blocks handed out

	used atomic.Int64 // bytes that segments account for
}

// idle is a block of which so many bytes were written.
type idle struct {
	block   []byte
	written int
}

const (
	pageBytes = 4096

	// idleBlocks, and a part of the busy ones, may stay idle; trimStep is how many
	// others are bared at a time.
	idleBlocks = 16
	idlePart   = 32
	trimStep   = 32
)

// newBlocks returns blocks whose memory goes with them.
func newBlocks() *blocks {
	b := &blocks{}
	runtime.SetFinalizer(b, func(b *blocks) {
		for _, c := range b.chunks {
			unmap(c)
		}
	})
	return b
}

// take returns a block of at least n bytes with any contents, aligned as integers need
// it. Pages that a former segment wrote to, far beyond n, do not take memory any more.
func (b *blocks) take(n int) []byte {
	if n > blockBytes {
		size := blockBytes
		for size < n {
			size *= 2
		}
		return mapped(size)
	}
	f := b.next()
	if from := (n + pageBytes - 1) &^ (pageBytes - 1); f.written > n+n/2 && f.written > from {
		bare(f.block[from:f.written])
	}
	return f.block
}

// next returns the block to use next.
func (b *blocks) next() (f idle) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy++
	if last := len(b.idle) - 1; last >= 0 {
		f, b.idle = b.idle[last], b.idle[:last]
		return f
	}
	if last := len(b.bare) - 1; last >= 0 {
		f.block, b.bare = b.bare[last], b.bare[:last]
		return f
	}
	if len(b.rest) == 0 {
		b.rest = mapped(chunkBytes)
		if !blocksOnHeap {
			b.chunks = append(b.chunks, b.rest)
		}
	}
	f.block, b.rest = b.rest[:blockBytes:blockBytes], b.rest[blockBytes:]
	return f
}

// give takes back a block of which so many bytes were written.
func (b *blocks) give(block []byte, written int) {
	if len(block) > blockBytes {
		unmap(block)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	b.idle = append(b.idle, idle{block, written})
}

// trim gives the pages of blocks that have become idle back to the system, but for some
// that will be wanted again soon, and reports whether more are left for another time.
func (b *blocks) trim() bool {
	for range trimStep {
		block := b.surplus()
		if block == nil {
			return false
		}
		if blocksOnHeap {
			continue // nobody knows it any more
		}
		bare(block)
		b.mu.Lock()
		b.bare = append(b.bare, block)
		b.mu.Unlock()
	}
	return true
}

// surplus takes out an idle block that need not stay, nil when there is none.
func (b *blocks) surplus() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := len(b.idle) - 1
	if last < idleBlocks+b.busy/idlePart {
		return nil
	}
	block := b.idle[last].block
	b.idle = b.idle[:last]
	return block
}
