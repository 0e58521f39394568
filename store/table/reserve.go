package table

// Reserve makes room for the first cells. It exists for speed alone, while the server loads a snapshot.
//
// What it is: a table without keys makes all its segments with the first key.
//
// What it brings: no segment splits on the way, so no cell moves while the keys come. A million
// new keys take about 40 % less time: go test -run '^$' -bench BenchmarkReserve -cpu 1 ./store.
//
// What it must never do: change a key. The room takes at most 13 bytes a reserved cell, and
// Release gives it back.
func (t *Table) Reserve(cells int) { t.reserved = cells }

// Release ends a reservation, and gives the room back that no cell has used.
func (t *Table) Release() {
	t.reserved = 0
	for at := 0; at < len(t.dir); {
		from := uint64(at) << (64 - t.depth) // 0 if there is one segment only
		if g := t.dir[at]; g.sparse() {
			t.tidy(g, from)
		}
		start, n := t.span(t.dir[t.entryOf(from)], from)
		at = start + n
	}
}

// makeSegments makes the segments of a table without segments: one, or as many as the reserved
// cells fill. Without memory it makes none and reports false.
func (t *Table) makeSegments() bool {
	depth, cells := uint8(0), t.reserved
	for slotsFor(cells) > segmentMaxSlots {
		depth++
		cells /= 2
	}
	dir := make([]*segment, 1<<depth)
	for i := range dir {
		if dir[i] = t.newSegment(slotsFor(cells), 0, depth); dir[i] == nil {
			for _, g := range dir[:i] {
				g.release(t.blocks)
			}
			return false
		}
	}
	for _, g := range dir {
		t.addCells(g.overhead())
	}
	t.dir, t.depth, t.deepest = dir, depth, len(dir)
	t.addHeap(int64(len(dir)) * dirEntryBytes)
	t.publish(0, len(dir))
	return true
}
