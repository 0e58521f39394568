package store

// SweepCursor is the place from which [Store.Sweep] goes on. The zero value starts at
// the beginning. It serves one store and one goroutine.
type SweepCursor struct {
	partition, db int
	from          uint64 // hash of the next segment
	tx            *Tx
	doomed        doomedKeys
	more          bool // not all that are over fitted in doomed
}

// The work under one lock hold: a segment is looked through, and so many cells are
// removed at most.
const (
	sweepCells    = 128
	sweepKeyBytes = 64 << 10
)

// doomedKeys are copies of keys, which must outlive their cells.
type doomedKeys struct {
	bytes []byte
	ends  []int
}

func (d *doomedKeys) reset() { d.bytes, d.ends = d.bytes[:0], d.ends[:0] }

func (d *doomedKeys) full() bool { return len(d.ends) >= sweepCells || len(d.bytes) >= sweepKeyBytes }

func (d *doomedKeys) add(key []byte) {
	d.bytes = append(d.bytes, key...)
	d.ends = append(d.ends, len(d.bytes))
}

func (d *doomedKeys) each(f func(key []byte)) {
	at := 0
	for _, end := range d.ends {
		f(d.bytes[at:end:end])
		at = end
	}
}

// Sweep removes keys whose time is over at now (Unix nanoseconds), and returns how many
// it removed and how much work that was: cells looked at, cells removed, segments and
// tables, each counted as one. It stops once visited reaches budget, or when it has been
// round the keyspace once. One partition is locked at a time, briefly, so no transaction
// of the caller may be active. When expired is a large part of visited, there is more to
// find: sweep again soon.
func (s *Store) Sweep(now int64, c *SweepCursor, budget int) (expired, visited int) {
	if c.tx == nil {
		c.tx = s.NewTx()
	}
	// The table begun with is visited again at the end: the cursor may stand in its middle.
	for tables := Partitions*s.databases + 1; tables > 0 && visited < budget; visited++ {
		if s.partitions[c.partition].tables[c.db].count.Load() == 0 {
			c.leave(s)
			tables--
			continue
		}
		n, seen, done := c.round(now, budget-visited)
		expired += n
		visited += seen
		if done {
			c.leave(s)
			tables--
		}
	}
	return expired, visited
}

// leave goes to the next table.
func (c *SweepCursor) leave(s *Store) {
	c.from = 0
	if c.db++; c.db == s.databases {
		c.db = 0
		c.partition = (c.partition + 1) % Partitions
	}
}

// round passes the segments that have nothing to expire, up to the budget, and looks
// through the first that may. It reports whether that was the table's end.
func (c *SweepCursor) round(now int64, budget int) (expired, visited int, done bool) {
	var fp Footprint
	fp.add(c.partition)
	c.tx.Begin(now, c.db, &fp)
	defer c.tx.End()
	t := &c.tx.only.tables[c.db]
	for t.dir != nil && visited < budget {
		g := t.dir[t.at(c.from)]
		visited++
		if g.nextExpiry == NoExpiry || c.tx.NowMillis() <= g.nextExpiry {
			if c.pass(t, g) {
				return 0, visited, true
			}
			continue
		}
		if !c.more { // else it was looked at already
			visited += g.live
		}
		next, from := c.collect(t, g), c.from
		last := !c.more && c.pass(t, g)
		expired = c.remove(t)
		if !c.more {
			g.nextExpiry = next
		}
		if expired > 0 && !c.more && t.dir != nil {
			t.tidy(g, from)
		}
		return expired, visited + expired, last
	}
	return 0, visited, t.dir == nil
}

// remove removes what was collected. Its segment is tidied up after the last of it alone:
// otherwise what is left would move again and again.
func (c *SweepCursor) remove(t *table) (expired int) {
	t.untidy = true
	defer func() { t.untidy = false }()
	c.doomed.each(func(key []byte) { c.tx.Peek(key) })
	return len(c.doomed.ends)
}

// pass moves the cursor behind a segment and reports whether that was the last one.
func (c *SweepCursor) pass(t *table, g *segment) bool {
	start, n := t.span(g, c.from)
	if start+n == len(t.dir) {
		return true
	}
	c.from = uint64(start+n) << (64 - t.depth)
	return false
}

// collect notes the segment's cells whose time is over and returns the earliest expiry
// of the others.
func (c *SweepCursor) collect(t *table, g *segment) (next int64) {
	c.doomed.reset()
	c.more, next = false, NoExpiry
	g.each(func(_ int, cl cell) bool {
		switch {
		case !cl.over(c.tx.now):
			if at := cl.expireAt(); at != NoExpiry && (next == NoExpiry || at < next) {
				next = at
			}
		case c.doomed.full():
			c.more = true
		default:
			c.doomed.add(t.keyOf(cl))
		}
		return true
	})
	return next
}
