package memory

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// BlockBytes is the size of a block. The system gives a block memory page by page, when a
// page is first written to. So the spare room of a block costs nothing.
const BlockBytes = 64 << 10

// Blocks hands out blocks of memory. Its methods are safe for concurrent use.
type Blocks struct {
	mu     sync.Mutex // guards the fields up to busy
	chunks [][]byte   // all memory that the system mapped; unmapped together with the Blocks
	rest   []byte     // the part of the newest chunk that was never handed out
	idle   []idle     // free blocks whose pages still take memory
	bare   [][]byte   // free blocks without pages
	busy   int        // blocks in use

	used   atomic.Int64
	refuse func(bytes int) bool // nil outside tests
}

// idle is a free block whose first written bytes may hold pages.
type idle struct {
	block   []byte
	written int
}

const (
	pageBytes = 4096

	// Trim keeps the pages of idleBlocks idle blocks, and of one more for every idlePart busy blocks.
	// One call gives the pages of at most trimStep blocks back.
	idleBlocks = 16
	idlePart   = 32
	trimStep   = 32
)

// ErrExhausted is what a write panics with if the system gives no more memory. The write has
// changed nothing.
var ErrExhausted = errors.New("store: the system gives no more memory")

// NewBlocks returns an empty Blocks. A finalizer unmaps its memory.
func NewBlocks() *Blocks {
	b := &Blocks{}
	runtime.SetFinalizer(b, func(b *Blocks) {
		for _, c := range b.chunks {
			unmap(c)
		}
	})
	return b
}

// AddUsed adds n to the bytes that the callers account for. Taking and giving blocks does
// not change that sum.
func (b *Blocks) AddUsed(n int64) { b.used.Add(n) }

// Used returns the sum of all [Blocks.AddUsed], in bytes.
func (b *Blocks) Used() int64 { return b.used.Load() }

// Take returns a block of at least n bytes, aligned for integers. Its contents are arbitrary.
// If n is more than [BlockBytes], the block is the next power of two. Take gives pages far
// beyond n back to the system first. If the system gives no memory, Take returns nil.
func (b *Blocks) Take(n int) []byte {
	if b.refuse != nil && b.refuse(n) {
		return nil
	}
	if n > BlockBytes {
		size := BlockBytes
		for size < n {
			size *= 2
		}
		return mapped(size)
	}
	f := b.next()
	if f.block == nil {
		return nil
	}
	if from := (n + pageBytes - 1) &^ (pageBytes - 1); f.written > n+n/2 && f.written > from {
		dropPages(f.block[from:f.written])
	}
	return f.block
}

// Demand panics with [ErrExhausted] if the system does not give n bytes to Go's heap. The heap itself would end
// the process. A negative n is a sum that has overflowed.
func (b *Blocks) Demand(n int) {
	if b.refuse != nil && b.refuse(n) || !gives(n) {
		panic(ErrExhausted)
	}
}

// Refuse makes [Blocks.Take] and [Blocks.Demand] behave as if the system had no memory, if refuse returns true.
// It is for tests. Nil ends it.
func (b *Blocks) Refuse(refuse func(bytes int) bool) { b.refuse = refuse }

// next takes a block out of the free lists, or makes one. The block is nil if the system gives no
// memory.
func (b *Blocks) next() (f idle) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		if f.block != nil {
			b.busy++
		}
	}()
	if last := len(b.idle) - 1; last >= 0 {
		f, b.idle = b.idle[last], b.idle[:last]
		return f
	}
	if last := len(b.bare) - 1; last >= 0 {
		f.block, b.bare = b.bare[last], b.bare[:last]
		return f
	}
	if len(b.rest) == 0 {
		if b.rest = mapped(chunkBytes); b.rest == nil {
			return f
		}
		if !OnHeap {
			b.chunks = append(b.chunks, b.rest)
		}
	}
	f.block, b.rest = b.rest[:BlockBytes:BlockBytes], b.rest[BlockBytes:]
	return f
}

// Give takes a block back. The caller has written only to its first written bytes, and must not use
// the block again.
func (b *Blocks) Give(block []byte, written int) {
	if len(block) > BlockBytes {
		unmap(block)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	b.idle = append(b.idle, idle{block, written})
}

// Trim gives pages of idle blocks back to the system, at most 32 blocks a call. Some idle
// blocks keep their pages, to be used again soon. Trim reports whether more can be given back.
func (b *Blocks) Trim() bool {
	for range trimStep {
		block := b.surplus()
		if block == nil {
			return false
		}
		if OnHeap {
			continue // the garbage collector frees the block
		}
		dropPages(block)
		b.mu.Lock()
		b.bare = append(b.bare, block)
		b.mu.Unlock()
	}
	return true
}

// surplus removes and returns an idle block whose pages Trim may give back, nil if there is no such
// block.
func (b *Blocks) surplus() []byte {
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

// Check returns an error if a number of blocks in use is not the one that the callers count,
// or if a block is lost. It is for tests.
func (b *Blocks) Check(busy int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy != busy {
		return fmt.Errorf("%d blocks are in use, but %d are counted", busy, b.busy)
	}
	if all := busy + len(b.idle) + len(b.bare) + len(b.rest)/BlockBytes; !OnHeap && len(b.chunks)*chunkBytes != all*BlockBytes {
		return fmt.Errorf("%d blocks are known, but %d chunks are mapped", all, len(b.chunks))
	}
	return nil
}
