package table

import (
	"fmt"
	"math"
	"testing"

	"cellserver/store/memory"

	"github.com/stretchr/testify/require"
)

// work is what one change of a table does besides its own cell, while the partition is locked.
type work struct{ cells, bytes, entries int }

// layout is where a table's segments lie.
type layout map[*segment]*uint32

func layoutOf(t *Table) layout {
	l := layout{}
	t.segments(func(g *segment) bool {
		l[g] = &g.index[0]
		return true
	})
	return l
}

// since counts what was moved since a former layout, and the directory's entries if the
// directory is another one.
func (w *work) since(was layout, dir int, t *Table) {
	t.segments(func(g *segment) bool {
		if was[g] != &g.index[0] {
			w.cells += g.live
			w.bytes += segmentBytes(len(g.index), len(g.arena))
		}
		return true
	})
	if len(t.dir) != dir {
		w.entries = len(t.dir) + dir
	}
}

func (w *work) raise(o work) {
	*w = work{max(w.cells, o.cells), max(w.bytes, o.bytes), max(w.entries, o.entries)}
}

// TestWorkUnderOneLock fills one table with as many keys as it has when the whole store
// has ten million, and empties it. No single change moves more than a segment splits into,
// or copies more than a small directory.
func TestWorkUnderOneLock(t *testing.T) {
	const partitions = 256
	n := scaled(10_000_000 / partitions)
	for _, size := range []int{16, 100, inlineKeyMax} {
		own := newTable(math.MaxUint64)
		tb := &own.Table
		var most work
		was, dir, gen := layout{}, 0, tb.gen
		for _, insert := range []bool{true, false} {
			for i := range n {
				key := fmt.Appendf(nil, "{tag}%0*d", size-len("{tag}"), i)
				if insert {
					own.setInt(key, 1)
				} else {
					own.removeKey(key)
				}
				if tb.gen == gen+1 {
					gen++ // only the cell itself came or went
					continue
				}
				var w work
				w.since(was, dir, tb)
				most.raise(w)
				was, dir, gen = layoutOf(tb), len(tb.dir), tb.gen
			}
		}
		t.Logf("%d keys of %d bytes in one table: at most %+v in one change", n, size, most)
		require.LessOrEqual(t, most.cells, segmentMaxSlots)
		require.LessOrEqual(t, most.bytes, 2*memory.BlockBytes)
		directory := memory.BlockBytes
		if size == inlineKeyMax {
			directory *= 2 // by chance, one segment of a thousand is one level deeper
		}
		require.LessOrEqual(t, most.entries*dirEntryBytes, directory)
	}
}
