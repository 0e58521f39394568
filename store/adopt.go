package store

import "cellserver/store/table"

// Beside returns an empty store whose keys can come into this one by [Store.Adopt]. Its keys count in
// [Store.Used] of this store. Drop them by [Store.Drop] if they do not come.
func (s *Store) Beside() *Store {
	o := &Store{databases: s.databases, blocks: s.blocks}
	o.seed.Store(s.seed.Add(1))
	o.lfu.Store(s.lfu.Load())
	o.lfuFactor.Store(s.lfuFactor.Load())
	o.lfuDecay.Store(s.lfuDecay.Load())
	o.limits.Store(s.limits.Load())
	o.tables.init(s.databases, s.tables.shared)
	for i := range o.partitions {
		o.partitions[i].index = uint8(i)
		o.locks[i] = &o.partitions[i].mu
	}
	return o
}

// Adopt makes the databases of clients hold the keys of a store that [Store.Beside] has returned, and no
// others. It is one moment, at which it calls atMoment. It marks watchers. The observers learn nothing.
func (s *Store) Adopt(o *Store, atMoment func()) {
	tx := s.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	tx.BeginAll(0, 0)
	defer tx.End()
	for db := range s.databases {
		for i := range s.partitions {
			s.partitions[i].adopt(&s.tables, db, o.tables.find(i, db))
		}
	}
	atMoment()
}

// adopt makes the table of a database hold what another one holds, which may be nil.
func (p *partition) adopt(ts *tables, db int, from *table.Table) {
	to := ts.find(int(p.index), db)
	var keys *table.Table
	if from != nil {
		keys = from.Detach()
	}
	switch {
	case to == nil && keys == nil:
		return
	case to == nil:
		to = ts.make(p, db)
	}
	p.markAllDirty(db, to.Has)
	if keys == nil {
		to.Reset()
		return
	}
	to.Attach(keys)
	p.markAllDirty(db, to.Has)
}
