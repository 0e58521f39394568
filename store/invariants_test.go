package store

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// checkInvariants recomputes everything the store keeps count of. The transaction's
// footprint must be whole.
func checkInvariants(t testing.TB, tx *Tx) {
	t.Helper()
	used, busy := int64(0), 0
	for i := range tx.s.partitions {
		for db := range tx.s.partitions[i].tables {
			tb := &tx.s.partitions[i].tables[db]
			used += checkTable(t, tb)
			tb.segments(func(g *segment) bool {
				if len(g.index)*slotBytes+cap(g.arena) == blockBytes {
					busy++
				}
				return true
			})
		}
	}
	require.Equal(t, used, tx.s.Used(), "sum of all tables' bytes")
	b := tx.s.blocks
	require.Equal(t, busy, b.busy, "blocks that segments use")
	if blocksOnHeap {
		return
	}
	require.Len(t, b.chunks, (busy+len(b.idle)+len(b.bare)+len(b.rest)/blockBytes)*blockBytes/chunkBytes, "no block is lost")
}

// checkChart wants the chart to say where the segments lie, but for those that take more than a block or have more slots.
func checkChart(t testing.TB, tb *table) {
	t.Helper()
	c := tb.chart.Load()
	if tb.dir == nil || blocksOnHeap {
		require.Nil(t, c)
		return
	}
	require.Equal(t, tb.depth, c.depth)
	require.Len(t, c.places, len(tb.dir))
	for i, g := range tb.dir {
		slots := c.places[i].slots.Load()
		if slots == nil {
			whole := len(g.index)*slotBytes+cap(g.arena) == blockBytes
			require.False(t, whole && len(g.index) <= segmentMaxSlots, "a segment that is not charted")
			continue
		}
		require.Equal(t, unsafe.Pointer(unsafe.SliceData(g.index)), unsafe.Pointer(slots))
		require.EqualValues(t, len(g.index)-1, c.places[i].mask.Load())
	}
}

// tally is what a table's segments add up to.
type tally struct {
	cells, expiring, values, deepest int
	bytes                            int64
}

func checkTable(t testing.TB, tb *table) int64 {
	t.Helper()
	var sum tally
	if tb.dir != nil {
		require.Len(t, tb.dir, 1<<tb.depth)
		sum.bytes = int64(len(tb.dir)) * dirEntryBytes
	}
	checkChart(t, tb)
	for i := 0; i < len(tb.dir); {
		g := tb.dir[i]
		require.LessOrEqual(t, g.depth, tb.depth)
		span := 1 << (tb.depth - g.depth)
		require.Zero(t, i%span, "a segment starts at a multiple of its span")
		for j := range span {
			require.Same(t, g, tb.dir[i+j])
		}
		if g.depth == tb.depth {
			sum.deepest++
		}
		checkSegment(t, tb, g, i, &sum)
		i += span
	}
	require.EqualValues(t, sum.cells, tb.count.Load(), "count")
	require.EqualValues(t, sum.expiring, tb.expire.Load(), "keys with an expiry")
	require.Equal(t, sum.deepest, tb.deepest, "deepest segments")
	require.EqualValues(t, sum.values, tb.values.n, "values in use")
	require.LessOrEqual(t, len(tb.values.chunks), sum.values/slabChunk+2, "the slab is dense")
	require.Equal(t, sum.bytes, tb.heap+tb.cells, "bytes")
	return sum.bytes
}

func checkSegment(t testing.TB, tb *table, g *segment, at int, sum *tally) {
	t.Helper()
	live, used, bytes, earliest := 0, 0, 0, NoExpiry
	for slot, s := range g.index {
		if s != slotEmpty {
			used++
		}
		if s <= slotTombstone {
			continue
		}
		live++
		c := g.cell(s & offsetMask)
		bytes += c.size()
		key := tb.keyOf(c)
		hash := tb.hash(key)
		require.Same(t, g, tb.dir[tb.at(hash)], "a cell lies in its hash's segment")
		_, off, found := tb.find(key, hash)
		require.Equal(t, s&offsetMask, off)
		require.Equal(t, slot, found)
		if e := c.expireAt(); e != NoExpiry {
			sum.expiring++
			if earliest == NoExpiry || e < earliest {
				earliest = e
			}
		}
		if c.has(cellBigKey) {
			sum.values++
			require.EqualValues(t, len(key), cap(tb.values.at(c.bigKey()).bytes))
			sum.bytes += int64(len(key)) + valueOverhead
		}
		if k := c.kind(); k == Raw || k == Sorted {
			sum.values++
			sum.bytes += tb.values.at(c.value()).size()
			require.Equal(t, hash, tb.values.at(c.value()).hash)
		}
	}
	inOrder := 0
	g.inOrder(func(cell) { inOrder++ })
	require.Equal(t, live, inOrder, "cells that lie in segment %d", at)
	require.Equal(t, live, g.live, "live cells of segment %d", at)
	require.Equal(t, used, g.used, "used slots of segment %d", at)
	require.Less(t, used, len(g.index), "a probe must end")
	require.Equal(t, len(g.arena)-arenaStart-bytes, g.dead, "dead bytes of segment %d", at)
	if earliest != NoExpiry {
		require.NotEqual(t, NoExpiry, g.nextExpiry)
		require.LessOrEqual(t, g.nextExpiry, earliest)
	}
	sum.cells += live
	sum.bytes += int64(bytes) + g.overhead()
}
