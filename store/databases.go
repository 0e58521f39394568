package store

import "cellserver/store/table"

// Flush removes every key of the transaction's database. The footprint must be whole.
func (tx *Tx) Flush() {
	var kept []table.Detached
	for i := range tx.s.partitions {
		t := tx.s.tables.find(i, tx.db)
		if t == nil {
			continue
		}
		tx.s.partitions[i].markAllDirty(tx.db, t.Has)
		if !tx.keepsUndo() {
			t.Reset()
		} else if was := t.Detach(); was != nil {
			kept = append(kept, table.Detached{Partition: i, Table: was})
		}
	}
	tx.keepFlush(kept)
	*tx.newEffect() = Effect{Op: OpFlush, DB: tx.db}
}

// Swap exchanges the contents of two databases. The footprint must be whole.
func (tx *Tx) Swap(a, b int) {
	if a == b {
		return
	}
	for i := range tx.s.partitions {
		p := &tx.s.partitions[i]
		tx.removeExpiredWatched(p, a, b)
		if tx.s.tables.find(i, a) == nil && tx.s.tables.find(i, b) == nil {
			continue
		}
		ta, tb := tx.s.tables.findOrMake(p, a), tx.s.tables.findOrMake(p, b)
		either := func(key []byte) bool { return ta.Has(key) || tb.Has(key) }
		p.markAllDirty(a, either)
		p.markAllDirty(b, either)
		ta.Swap(tb)
	}
	tx.keepSwap(a, b)
	f := tx.newEffect()
	f.Op, f.DB, f.Int = OpSwapDB, a, int64(b)
}

// removeExpiredWatched removes the expired ones of the watched keys of two databases. For a
// watcher, an expired key that comes or goes is not a change.
func (tx *Tx) removeExpiredWatched(p *partition, a, b int) {
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

// Drop removes all keys of a store, and gives their memory back. The observers learn nothing.
func (s *Store) Drop() {
	tx := s.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	tx.BeginAll(0, 0)
	defer tx.End()
	for db := Own; db < s.databases; db++ {
		tx.Select(db)
		tx.Flush()
	}
}
