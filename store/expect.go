package store

// Reserve says that the transaction's database is about to hold so many keys: each partition makes
// room for its share, instead of growing to it step by step; one without keys does with the first
// of them that it gets. With 0 keys, nothing more is expected, and room that was made for what did
// not come is given up. A share takes at most 13 bytes a key. The footprint must be whole.
func (tx *Tx) Reserve(keys int) {
	for i := range tx.s.partitions {
		t := &tx.s.partitions[i].tables[tx.db]
		switch t.expected = keys / Partitions; {
		case keys == 0:
			t.settle()
		case t.dir != nil && int64(t.expected) > 2*t.count.Load():
			t.spread()
		}
	}
}

// ReleaseReserved is Reserve of 0 keys, in every database.
func (tx *Tx) ReleaseReserved() {
	was := tx.db
	for db := range tx.s.databases {
		tx.db = db
		tx.Reserve(0)
	}
	tx.db = was
}

// begin makes the segments of a table that has none: one, or as many as it takes for what is
// expected.
func (t *table) begin() {
	depth, cells := uint8(0), t.expected
	for slotsFor(cells) > segmentMaxSlots {
		depth++
		cells /= 2
	}
	t.dir, t.depth, t.deepest = make([]*segment, 1<<depth), depth, 1<<depth
	for i := range t.dir {
		t.dir[i] = t.newSegment(slotsFor(cells), 0, depth)
		t.accountCells(t.dir[i].overhead())
	}
	t.account(int64(len(t.dir)) * dirEntryBytes)
	t.draw(0, len(t.dir))
}

// spread lays the whole table out anew, for what is expected. A snapshot that is under way needs no
// directory to copy a segment that has left it.
func (t *table) spread() {
	var old []*segment
	t.segments(func(g *segment) bool {
		old = append(old, g)
		return true
	})
	t.account(-int64(len(t.dir)) * dirEntryBytes)
	t.begin()
	for _, g := range old {
		t.preserve(g)
		g.inOrder(func(c cell) {
			h := t.hash(t.keyOf(c))
			t.room(h, c.size()).put(c, h)
		})
		t.accountCells(-g.overhead())
		g.release(t.blocks)
	}
	t.draw(0, len(t.dir)) // now that the cells are there
	t.gen++
}

// settle tidies up every segment that is far too large for its cells.
func (t *table) settle() {
	for at := 0; at < len(t.dir); {
		from := uint64(at) << (64 - t.depth) // which is 0 where there is one segment only
		if g := t.dir[at]; g.sparse() {
			t.tidy(g, from)
		}
		start, n := t.span(t.dir[t.at(from)], from)
		at = start + n
	}
}
