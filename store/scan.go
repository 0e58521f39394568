package store

import (
	"slices"

	"cellserver/store/table"
)

// A scan cursor is a place in hash order: the partition (8 bits), and the leading 44 bits of the
// hash. It is below 2^53, so clients that keep numbers as doubles keep it exactly. Splits and
// removals do not move a key in that order. So a scan sees each key that exists during the whole
// scan, and sees it once.
const cursorMask = 1<<table.PrefixBits - 1

// Scan calls f for about count keys from the cursor on. It returns the next cursor, or 0 after the
// whole database. It leaves out expired keys, and removes them. The footprint must be whole. f must
// not write, nor keep e or the bytes of its key: they are valid until the expired keys go.
func (tx *Tx) Scan(cursor uint64, count int, f func(e *Entry)) uint64 {
	defer tx.endWalk()
	seen := 0
	from := cursor & cursorMask
	for i := int(cursor >> table.PrefixBits); i < Partitions; i++ {
		next, more := tx.scanPartition(&tx.s.partitions[i], from, &seen, count, f)
		if more {
			return uint64(i)<<table.PrefixBits + next // next may be the next partition's start
		}
		from = 0
		if seen >= count && i+1 < Partitions {
			return uint64(i+1) << table.PrefixBits
		}
	}
	return 0
}

func (tx *Tx) scanPartition(p *partition, from uint64, seen *int, count int, f func(*Entry)) (next uint64, more bool) {
	tx.walk.entry = Entry{tx: tx, p: p, db: tx.db}
	t := tx.s.tables.find(int(p.index), tx.db)
	if t == nil {
		return 0, false
	}
	return t.Scan(&tx.walk.entry.place, &tx.walk.found, from, seen, count, func() { tx.visit(f) })
}

// visit calls f for the current key of the walk. If the key has expired, visit notes it for endWalk
// instead.
func (tx *Tx) visit(f func(*Entry)) {
	e := &tx.walk.entry
	if e.place.Cell().Expired(tx.now) {
		tx.walk.expired = append(tx.walk.expired, slices.Clone(e.place.Key()))
		return
	}
	f(e)
}

// endWalk removes the expired keys of a walk. Removing them earlier would move cells.
func (tx *Tx) endWalk() {
	for _, key := range tx.walk.expired {
		tx.Peek(key)
	}
	tx.walk.expired, tx.walk.entry = nil, Entry{}
}

// Each calls f for every key of the database. It leaves out expired keys, and removes them. The
// footprint must be whole. f must not write, nor keep e or the bytes of its key.
func (tx *Tx) Each(f func(e *Entry)) {
	for i := range tx.s.partitions {
		tx.EachIn(i, f)
	}
}

// EachIn is [Tx.Each] for one partition.
func (tx *Tx) EachIn(partition int, f func(e *Entry)) {
	defer tx.endWalk()
	p := &tx.s.partitions[partition]
	tx.walk.entry = Entry{tx: tx, p: p, db: tx.db}
	if t := tx.s.tables.find(partition, tx.db); t != nil {
		t.Each(&tx.walk.entry.place, func() { tx.visit(f) })
	}
}

// randomTries is how many random keys RandomKey tries before it takes the first one.
const randomTries = 100

// RandomKey returns a random key of the database, nil if the database is empty. The footprint
// must be whole. The bytes are the store's own, and valid until the next write.
func (tx *Tx) RandomKey() []byte {
	n := tx.s.Len(tx.db)
	for tries := 0; n > 0 && tries < randomTries; tries++ {
		if c, key := tx.randomCell(int(tx.Rand() % uint64(n))); c != nil && !c.Expired(tx.now) {
			return key
		}
	}
	return tx.firstKey()
}

// randomCell returns a random cell, and its key, of the partition that has the n-th key.
func (tx *Tx) randomCell(n int) (table.Cell, []byte) {
	for i := range tx.s.partitions {
		t := tx.s.tables.find(i, tx.db)
		if t == nil {
			continue
		}
		if n -= int(t.Len()); n < 0 {
			return t.Sample(tx)
		}
	}
	return nil, nil
}

// firstKey returns the first key that has not expired, nil if there is none.
func (tx *Tx) firstKey() (key []byte) {
	for i := range tx.s.partitions {
		tx.EachIn(i, func(e *Entry) {
			if key == nil {
				key = slices.Clone(e.Key())
			}
		})
		if key != nil {
			return key
		}
	}
	return nil
}
