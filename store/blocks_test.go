package store

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// written returns how many of the block's pages are not zero.
func written(block []byte) (pages int) {
	for ; len(block) > 0; block = block[pageBytes:] {
		for _, c := range block[:pageBytes] {
			if c != 0 {
				pages++
				break
			}
		}
	}
	return pages
}

func scribble(block []byte) {
	for i := range block {
		block[i] = 0xff
	}
}

func TestBlocksAreUsedAgain(t *testing.T) {
	b := newBlocks()
	block := b.take(1)
	require.Len(t, block, blockBytes)
	scribble(block)
	b.give(block, blockBytes)
	again := b.take(blockBytes * 3 / 4)
	require.Same(t, &block[0], &again[0])
	require.Equal(t, blockBytes/pageBytes, written(again), "what is about as large keeps its pages")
	b.give(again, blockBytes)
	again = b.take(2*pageBytes + 1)
	if !blocksOnHeap {
		require.Equal(t, 3, written(again), "what is far smaller takes no more pages than it needs")
	}
	b.give(again, 3*pageBytes)
	require.Zero(t, b.busy)
	require.Len(t, b.idle, 1)
}

func TestBlocksAreTrimmed(t *testing.T) {
	b := newBlocks()
	const n = 3*trimStep + idleBlocks
	var all [][]byte
	for range n {
		block := b.take(1)
		scribble(block[:pageBytes])
		all = append(all, block)
	}
	require.False(t, b.trim(), "all are in use")
	for _, block := range all {
		b.give(block, pageBytes)
	}
	for range 2 {
		require.True(t, b.trim(), "a step is bounded")
	}
	b.trim()
	require.False(t, b.trim())
	require.Len(t, b.idle, idleBlocks)
	if blocksOnHeap {
		require.Empty(t, b.bare)
		return
	}
	require.Len(t, b.bare, n-idleBlocks)
	for _, block := range b.bare {
		require.Zero(t, written(block))
	}
	chunks := len(b.chunks)
	for range n {
		b.take(1)
	}
	require.Len(t, b.chunks, chunks, "bare blocks are used before new ones")
}

func TestLargeBlocks(t *testing.T) {
	b := newBlocks()
	block := b.take(blockBytes + 1)
	require.Len(t, block, 2*blockBytes)
	scribble(block)
	b.give(block, len(block))
	require.Empty(t, b.chunks)
	require.Empty(t, b.idle)
}

// TestKeysAreNoConcernOfTheCollector wants the heap to hold next to nothing of a cell.
func TestKeysAreNoConcernOfTheCollector(t *testing.T) {
	if blocksOnHeap {
		t.Skip("blocks lie in the heap here")
	}
	heap := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m
	}
	s := New(Options{Databases: 1, Seed: 1})
	n := scaled(1_000_000)
	fill(s, n/10, testNow, 1e9) // every partition has its first segment
	before := heap()
	fill(s, n, testNow, 1e9)
	after := heap()
	require.Less(t, int(after.HeapObjects)-int(before.HeapObjects), n/200)
	require.Less(t, int(after.HeapAlloc)-int(before.HeapAlloc), n)
	runtime.KeepAlive(s)
}
