package store

// CopyTo makes the key dst of database db hold a copy of the entry's value and expiry,
// whatever it held before. Source and target must differ.
func (e *Entry) CopyTo(db int, dst []byte) {
	if !e.Exists() {
		return
	}
	at := e.ExpireAt()
	d := e.in(db, dst)
	switch e.Kind() {
	case Int:
		d.SetInt(e.Int(), at)
	case Raw:
		b := append([]byte{}, e.value().bytes...) // not nil: that would say Int
		d.storeValue(Raw, value{bytes: b}, at)
		f := d.record(OpSet)
		f.Value, f.At = b, at
	case Sorted:
		d.adopt(e.value().sorted.clone(), at)
	}
}

// MoveTo makes the key dst of database db hold the entry's value and expiry, whatever
// it held before, and removes the entry. Source and target must differ.
func (e *Entry) MoveTo(db int, dst []byte) {
	if e.Kind() != Sorted {
		e.CopyTo(db, dst)
		e.Delete()
		return
	}
	e.t.preserve(e.g)
	at, v := e.ExpireAt(), e.value()
	z := v.sorted
	e.t.account(-z.Bytes())
	v.sorted = nil // it moves: the entry's removal must not account for it
	e.Delete()
	d := e.in(db, dst)
	d.adopt(z, at)
}

// in finds a key of a database of the same transaction.
func (e *Entry) in(db int, key []byte) Entry {
	tx := e.tx
	was := tx.db
	tx.db = db
	d := tx.Peek(key)
	tx.db = was
	return d
}

// Flush removes every key of the transaction's database. The footprint must be whole.
func (tx *Tx) Flush() {
	for i := range tx.s.partitions {
		p := &tx.s.partitions[i]
		t := &p.tables[tx.db]
		p.touchAll(tx.db, t.holds)
		t.reset()
	}
	*tx.tell() = Effect{Op: OpFlush, DB: tx.db}
}

func (t *table) holds(key []byte) bool {
	_, off, _ := t.find(key, t.hash(key))
	return off != 0
}

// Swap exchanges the contents of two databases. The footprint must be whole.
func (tx *Tx) Swap(a, b int) {
	if a == b {
		return
	}
	for i := range tx.s.partitions {
		p := &tx.s.partitions[i]
		tx.dropOverdueWatched(p, a, b)
		ta, tb := &p.tables[a], &p.tables[b]
		either := func(key []byte) bool { return ta.holds(key) || tb.holds(key) }
		p.touchAll(a, either)
		p.touchAll(b, either)
		if p.frozen != nil {
			p.frozen.swap(ta, tb)
		}
		ta.swap(tb)
	}
	*tx.tell() = Effect{Op: OpSwapDB, DB: a, Int: int64(b)}
}

// dropOverdueWatched removes, in two databases, watched keys whose time is over: for
// their watchers, a key that is over coming or going is no change.
func (tx *Tx) dropOverdueWatched(p *partition, a, b int) {
	was := tx.db
	for k := range p.watches {
		if k.db == a || k.db == b {
			for _, tx.db = range []int{a, b} {
				tx.Peek([]byte(k.key))
			}
		}
	}
	tx.db = was
}

func (t *table) swap(o *table) {
	t.dir, o.dir = o.dir, t.dir
	t.depth, o.depth = o.depth, t.depth
	t.chart.Store(o.chart.Swap(t.chart.Load()))
	t.deepest, o.deepest = o.deepest, t.deepest
	t.values, o.values = o.values, t.values
	t.heap, o.heap = o.heap, t.heap
	t.cells, o.cells = o.cells, t.cells
	t.count.Store(o.count.Swap(t.count.Load()))
	t.expire.Store(o.expire.Swap(t.expire.Load()))
	t.gen++
	o.gen++
}

// Volatile returns the number of keys of a database that have an expiry. It takes no
// lock.
func (s *Store) Volatile(db int) int {
	n := int64(0)
	for i := range s.partitions {
		n += s.partitions[i].tables[db].expire.Load()
	}
	return int(n)
}
