package store

// Expect says that so many keys are about to be put into the transaction's database: each
// partition makes room for its share with the first of them that it gets, instead of growing to
// it step by step. With 0 keys, nothing more is expected, and room that was made for what did
// not come is given up. A share takes at most 13 bytes a key. The footprint must be whole.
func (tx *Tx) Expect(keys int) {
	for i := range tx.s.partitions {
		t := &tx.s.partitions[i].tables[tx.db]
		if t.expected = keys / Partitions; keys == 0 {
			t.settle()
		}
	}
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
