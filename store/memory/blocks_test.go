package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// written returns the number of pages of the block that are not zero.
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
	b := NewBlocks()
	block := b.Take(1)
	require.Len(t, block, BlockBytes)
	scribble(block)
	b.Give(block, BlockBytes)
	again := b.Take(BlockBytes * 3 / 4)
	require.Same(t, &block[0], &again[0])
	require.Equal(t, BlockBytes/pageBytes, written(again), "a block for about the same size keeps its pages")
	b.Give(again, BlockBytes)
	again = b.Take(2*pageBytes + 1)
	if !OnHeap {
		require.Equal(t, 3, written(again), "a block for far less keeps no more pages than it needs")
	}
	b.Give(again, 3*pageBytes)
	require.Zero(t, b.busy)
	require.Len(t, b.idle, 1)
}

func TestBlocksAreTrimmed(t *testing.T) {
	b := NewBlocks()
	const n = 3*trimStep + idleBlocks
	var all [][]byte
	for range n {
		block := b.Take(1)
		scribble(block[:pageBytes])
		all = append(all, block)
	}
	require.False(t, b.Trim(), "all are in use")
	for _, block := range all {
		b.Give(block, pageBytes)
	}
	for range 2 {
		require.True(t, b.Trim(), "a step is bounded")
	}
	b.Trim()
	require.False(t, b.Trim())
	require.Len(t, b.idle, idleBlocks)
	if OnHeap {
		require.Empty(t, b.bare)
		return
	}
	require.Len(t, b.bare, n-idleBlocks)
	for _, block := range b.bare {
		require.Zero(t, written(block))
	}
	chunks := len(b.chunks)
	for range n {
		b.Take(1)
	}
	require.Len(t, b.chunks, chunks, "bare blocks are used before new ones")
}

func TestLargeBlocks(t *testing.T) {
	b := NewBlocks()
	block := b.Take(BlockBytes + 1)
	require.Len(t, block, 2*BlockBytes)
	scribble(block)
	b.Give(block, len(block))
	require.Empty(t, b.chunks)
	require.Empty(t, b.idle)
}
