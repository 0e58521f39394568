package store

import (
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/store/table"
)

// tables has the tables of all databases and partitions. A table is made when it is first used, and
// dropped by [Store.Sweep] when it is empty. So a database without keys takes 8 bytes.
type tables struct {
	shared    table.Shared
	hasher    table.Table                // hashes keys as all tables do; it has no keys
	databases []atomic.Pointer[database] // by database, [Own] first; nil: the database has no tables

	making sync.Mutex // held while a table is made or dropped; taken after the partition's lock
}

// database is the tables of one database, by partition. They may be read without a lock.
type database struct {
	tables  [Partitions]atomic.Pointer[table.Table] // nil: not made
	segmaps [Partitions]atomic.Pointer[table.SegmentMap]
	made    int // tables; guarded by making
}

func (ts *tables) init(databases int, shared table.Shared) {
	ts.shared, ts.databases = shared, make([]atomic.Pointer[database], databases-Own)
	ts.hasher.Init(&ts.shared, 0, nil, nil)
}

// place returns the place of the tables of a database.
func (ts *tables) place(db int) *atomic.Pointer[database] { return &ts.databases[db-Own] }

// find returns a table, nil if it was not made. No lock is needed.
func (ts *tables) find(partition, db int) *table.Table {
	if d := ts.place(db).Load(); d != nil {
		return d.tables[partition].Load()
	}
	return nil
}

// findOrMake returns the table of a locked partition. It makes the table if there is none.
func (ts *tables) findOrMake(p *partition, db int) *table.Table {
	if t := ts.find(int(p.index), db); t != nil {
		return t
	}
	return ts.make(p, db)
}

func (ts *tables) make(p *partition, db int) *table.Table {
	ts.making.Lock()
	defer ts.making.Unlock()
	d := ts.place(db).Load()
	if d == nil {
		d = &database{}
		ts.place(db).Store(d)
	}
	t := &table.Table{}
	t.Init(&ts.shared, db, &p.keeper, &d.segmaps[p.index])
	d.tables[p.index].Store(t)
	d.made++
	i, _ := p.tableIndex(db)
	p.tables = slices.Insert(p.tables, i, table.Numbered{DB: db, Table: t})
	return t
}

// made is a table that a transaction has made.
type made struct {
	p  *partition
	db int
}

// makeTable makes the table of the transaction's database. At its end, the transaction drops the table if it
// is empty: commands that find no key must not fill the memory. Database 0 keeps its tables, because it is
// the usual one.
func (tx *Tx) makeTable(p *partition) *table.Table {
	if tx.db != 0 {
		tx.made = append(tx.made, made{p, tx.db})
	}
	return tx.s.tables.make(p, tx.db)
}

// dropMade drops the tables that the transaction has made and not used.
func (tx *Tx) dropMade() {
	for _, m := range tx.made {
		tx.s.tables.drop(m.p, m.db)
	}
	tx.made = nil
}

// drop drops the table of a locked partition if the table is empty. No transaction may use it.
func (ts *tables) drop(p *partition, db int) {
	i, found := p.tableIndex(db)
	if !found || p.tables[i].Table.Len() > 0 {
		return
	}
	p.tables[i].Table.Reset()
	ts.making.Lock()
	defer ts.making.Unlock()
	p.tables = slices.Delete(p.tables, i, i+1)
	d := ts.place(db).Load()
	d.tables[p.index].Store(nil)
	if d.made--; d.made == 0 {
		ts.place(db).Store(nil)
	}
}

// used returns the databases that have tables, in ascending order.
func (ts *tables) used() (databases []int) {
	for db := Own; db < len(ts.databases)+Own; db++ {
		if ts.place(db).Load() != nil {
			databases = append(databases, db)
		}
	}
	return databases
}
