package store

import (
	"cmp"
	"slices"
)

// A scan cursor is the place in hash order from which to go on: the partition (8 bits)
// and the leading 44 bits of the hash, which is below 2^53 and so survives clients that
// keep numbers as doubles. Splits and removals do not move a key in that order, so a
// key that is there for the whole scan is seen, and each exactly once.
const (
	cursorHashBits = 44
	cursorMask     = 1<<cursorHashBits - 1
)

// Scan calls f for keys from the cursor on, about count of them, and returns the cursor
// to go on from: 0 when the whole database has been seen. Keys whose time is over are
// left out, and removed. The footprint must be whole; f must not write, nor keep e.
func (tx *Tx) Scan(cursor uint64, count int, f func(e *Entry)) uint64 {
	defer tx.reap()
	seen := 0
	from := cursor & cursorMask
	for p := int(cursor >> cursorHashBits); p < Partitions; p++ {
		next, more := tx.scanTable(&tx.s.partitions[p], from, &seen, count, f)
		if more {
			return uint64(p)<<cursorHashBits + next // next may be the next partition's start
		}
		from = 0
		if seen >= count && p+1 < Partitions {
			return uint64(p+1) << cursorHashBits
		}
	}
	return 0
}

// scanned is a cell that a scan found.
type scanned struct {
	hash uint64
	g    *segment
	off  uint32
}

func (s scanned) prefix() uint64 { return s.hash >> (64 - cursorHashBits) }

// scanTable visits one table from a hash prefix on. It returns the next prefix when it
// stopped before the table's end.
func (tx *Tx) scanTable(p *partition, from uint64, seen *int, count int, f func(*Entry)) (next uint64, more bool) {
	t := &p.tables[tx.db]
	if t.dir == nil {
		return 0, false
	}
	for i := t.at(from << (64 - cursorHashBits)); i < len(t.dir); {
		g := t.dir[i]
		found, rest := t.collect(tx.scanned[:0], g, from, max(count-*seen, 1))
		tx.scanned = found
		for j, c := range found {
			if *seen >= count && (j == 0 || c.prefix() != found[j-1].prefix()) {
				return c.prefix(), true
			}
			*seen++
			tx.visit(p, t, c, f)
		}
		if rest != 0 {
			return rest, true
		}
		i = i&^(1<<(t.depth-g.depth)-1) + 1<<(t.depth-g.depth)
	}
	return 0, false
}

// collect gathers a segment's cells from a hash prefix on, in hash order: all of them,
// or at least the first need and those below the prefix rest, when that is not 0. So
// a scan in small steps does not sort whole segments.
func (t *table) collect(into []scanned, g *segment, from uint64, need int) (found []scanned, rest uint64) {
	limit := 2*min(need, segmentMaxSlots) + 64
	g.each(func(slot int, c cell) bool {
		s := scanned{t.hash(t.keyOf(c)), g, g.index[slot] & offsetMask}
		if s.prefix() < from || rest != 0 && s.prefix() >= rest {
			return true
		}
		into = append(into, s)
		if len(into) >= limit {
			sortScanned(into)
			if end := cutAt(into, need); end < len(into) {
				into, rest = into[:end], into[end-1].prefix()+1
			}
			limit = max(limit, 2*len(into))
		}
		return true
	})
	sortScanned(into)
	return into, rest
}

// cutAt returns where sorted cells may be cut after need of them: cells of the same
// prefix stay together.
func cutAt(cells []scanned, need int) int {
	for need < len(cells) && cells[need].prefix() == cells[need-1].prefix() {
		need++
	}
	return min(need, len(cells))
}

func sortScanned(cells []scanned) {
	slices.SortFunc(cells, func(a, b scanned) int { return cmp.Compare(a.hash, b.hash) })
}

func (tx *Tx) visit(p *partition, t *table, s scanned, f func(*Entry)) {
	c := s.g.cell(s.off)
	if c.over(tx.now) {
		tx.overdue = append(tx.overdue, slices.Clone(t.keyOf(c)))
		return
	}
	tx.visited = Entry{tx: tx, t: t, g: s.g, key: t.keyOf(c), hash: s.hash, gen: t.gen, off: s.off, db: tx.db}
	f(&tx.visited)
}

// reap removes the keys that a walk found to be over: not before its end, because
// removing moves cells.
func (tx *Tx) reap() {
	for _, key := range tx.overdue {
		tx.Peek(key)
	}
	tx.overdue, tx.visited = nil, Entry{}
}

// Each calls f for every key of the database whose time is not over, and removes the
// others. The footprint must be whole; f must not write, nor keep e.
func (tx *Tx) Each(f func(e *Entry)) {
	for i := range tx.s.partitions {
		tx.EachIn(i, f)
	}
}

// EachIn calls f for every key of one partition whose time is not over, and removes the
// others. f must not write, nor keep e.
func (tx *Tx) EachIn(partition int, f func(e *Entry)) {
	defer tx.reap()
	p := &tx.s.partitions[partition]
	t := &p.tables[tx.db]
	t.each(func(g *segment, slot int, c cell) bool {
		tx.visit(p, t, scanned{t.hash(t.keyOf(c)), g, g.index[slot] & offsetMask}, f)
		return true
	})
}

// RandomKey returns a random key of the database, nil when it is empty. The footprint
// must be whole. The key's bytes are the store's own, until the next write.
func (tx *Tx) RandomKey() []byte {
	n := tx.s.Len(tx.db)
	for tries := 0; n > 0 && tries < 100; tries++ {
		if c, key := tx.randomCell(int(tx.Rand() % uint64(n))); c != nil && !c.over(tx.now) {
			return key
		}
	}
	return tx.firstLive()
}

// randomCell returns a random cell of the partition with the database's n-th key.
func (tx *Tx) randomCell(n int) (cell, []byte) {
	for i := range tx.s.partitions {
		t := &tx.s.partitions[i].tables[tx.db]
		if n -= int(t.count.Load()); n < 0 {
			g, slot := t.sample(tx, false)
			c := g.cell(g.index[slot] & offsetMask)
			return c, t.keyOf(c)
		}
	}
	return nil, nil
}

func (tx *Tx) firstLive() (key []byte) {
	for i := range tx.s.partitions {
		tx.EachIn(i, func(e *Entry) {
			if key == nil {
				key = e.key
			}
		})
		if key != nil {
			return key
		}
	}
	return nil
}
