package store

import "slices"

// page is a copy of a segment's cells, for a snapshot.
type page struct {
	arena  []byte
	values []value // what its cells refer to, in their order: long keys before their values
	ahead  bool    // it was copied before its turn
	image  Image   // what each shows: one for all, so that a key costs no allocation
}

// copy makes the page a copy of a segment as it was, nil: as it is. Its cells come in the order in which they lie
// there: that is often the order of their values, too, which would else come from memory one by one.
func (p *page) copy(t *table, g *segment, was *past) {
	p.arena = append(p.arena[:0], g.arena...)
	if was != nil {
		p.arena = was.restore(p.arena)
	}
	if t.values.n == 0 {
		return
	}
	p.values = slices.Grow(p.values, g.live)
	cells := segment{arena: p.arena}
	cells.inOrder(func(c cell) {
		if c.has(cellBigKey) {
			p.values = append(p.values, *t.values.at(c.bigKey()))
		}
		if c.refers() {
			p.values = append(p.values, *t.values.at(c.value()))
		}
	})
}

func (p *page) bytes() int64 { return int64(len(p.arena)) + int64(len(p.values))*valueOverhead }

// each calls f for the page's keys whose time is not over, until it returns an error.
func (p *page) each(now int64, db int, f func(*Image) error) (err error) {
	values := p.values
	next := func() (v *value) {
		v, values = &values[0], values[1:]
		return v
	}
	cells := segment{arena: p.arena}
	cells.inOrder(func(c cell) {
		im := &p.image
		*im = Image{DB: db, Key: c.keyBytes(), Kind: c.kind(), ExpireAt: c.expireAt()}
		if c.has(cellBigKey) {
			im.Key = next().bytes
		}
		switch im.Kind {
		case Int:
			im.Int = c.value()
		case Raw:
			im.Bytes = next().bytes
		case Sorted:
			im.Sorted = next().sorted
		}
		if err == nil && !c.over(now) {
			err = f(im)
		}
	})
	return err
}

// release gives the page back, for the next copy.
func (p *page) release(n *Snapshot) {
	if p.ahead {
		n.waits.Add(-p.bytes())
	}
	clear(p.values)
	p.values, p.ahead, p.image = p.values[:0], false, Image{}
	n.pages.Put(p)
}

// walk goes through what a snapshot is to see of one table.
type walk struct {
	n        *Snapshot
	part, db int
	from     uint64 // hash of the next segment
	done     bool   // all segments were seen
}

// next returns the next page, nil after the last.
func (w *walk) next() *page {
	p := &w.n.s.partitions[w.part]
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frozen
	for i := range f.ahead {
		if f.ahead[i].db == w.db {
			pg := f.ahead[i].page
			last := len(f.ahead) - 1
			f.ahead[i] = f.ahead[last]
			f.ahead[last] = ahead{}
			f.ahead = f.ahead[:last]
			return pg
		}
	}
	t := f.tables[w.db]
	for !w.done && t.dir != nil {
		g := t.dir[t.at(w.from)]
		w.pass(t, g)
		if g.snapshot != f.number {
			return f.take(t, g)
		}
	}
	return nil
}

// pass moves on behind a segment.
func (w *walk) pass(t *table, g *segment) {
	start, n := t.span(g, w.from)
	if w.done = start+n == len(t.dir); !w.done {
		w.from = uint64(start+n) << (64 - t.depth)
	}
}
