package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// work is what one change of a table did beside its own cell: what it pays for while it
// holds its partition's lock.
type work struct{ cells, bytes, entries int }

// layout is where a table's segments lie.
type layout map[*segment]*uint32

func layoutOf(t *table) layout {
	l := layout{}
	t.segments(func(g *segment) bool {
		l[g] = &g.index[0]
		return true
	})
	return l
}

// since adds up what was laid out anew since a former layout, and the directory's entries
// if there is another one.
func (w *work) since(was layout, dir int, t *table) {
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
	n := scaled(10_000_000 / Partitions)
	for _, size := range []int{16, 100, inlineKeyMax} {
		s := New(Options{Databases: 1, Seed: 1})
		tx := whole(s, testNow)
		tb := &s.partitions[PartitionOf(Slot([]byte("tag")))].tables[0]
		var most work
		was, dir, gen := layout{}, 0, tb.gen
		for _, insert := range []bool{true, false} {
			for i := range n {
				e := tx.Write(fmt.Appendf(nil, "{tag}%0*d", size-len("{tag}"), i))
				if insert {
					e.SetInt(1, NoExpiry)
				} else {
					e.Delete()
				}
				if tb.gen == gen+1 {
					gen++ // it was the cell's own coming or going
					continue
				}
				var w work
				w.since(was, dir, tb)
				most.raise(w)
				was, dir, gen = layoutOf(tb), len(tb.dir), tb.gen
			}
		}
		tx.End()
		t.Logf("%d keys of %d bytes in one table: at most %+v in one change", n, size, most)
		require.LessOrEqual(t, most.cells, segmentMaxSlots)
		require.LessOrEqual(t, most.bytes, 2*blockBytes)
		directory := blockBytes
		if size == inlineKeyMax {
			directory *= 2 // by chance one segment of a thousand is as deep as takes the next size
		}
		require.LessOrEqual(t, most.entries*dirEntryBytes, directory)
	}
}
