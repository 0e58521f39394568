package store

import "unsafe"

// foreseen is what is known of a key that a transaction will soon be about: its slot and
// its hash. It speaks of a place in a buffer whose bytes have not changed since.
type foreseen struct {
	at   *byte
	size int
	slot uint16
	hash uint64
}

// is reports whether it speaks of this key. The zero foreseen speaks of none.
func (f *foreseen) is(key []byte) bool {
	return f.at != nil && f.at == unsafe.SliceData(key) && f.size == len(key)
}

// foresight is what is foreseen of the transactions to come, in their order.
type foresight struct {
	keys       [4]foreseen // from first up to last, each modulo 4
	first, end uint
}

// take returns what was foreseen of a key, and drops it with all that comes before.
func (f *foresight) take(key []byte) (foreseen, bool) {
	for i := f.first; i != f.end; i++ {
		if k := &f.keys[i%uint(len(f.keys))]; k.is(key) {
			f.first = i + 1
			return *k, true
		}
	}
	return foreseen{}, false
}

// add notes one more, and returns it and the one before.
func (f *foresight) add(k foreseen) (before, added *foreseen) {
	n := uint(len(f.keys))
	if f.end-f.first == n {
		f.first++
	}
	before, added = &f.keys[(f.end-1)%n], &f.keys[f.end%n]
	*added = k
	f.end++
	return before, added
}

// Prefetch has the way to a key's cell fetched from memory, and the cell of the key that was foreseen
// before it, or the place for a new one: what a transaction on one key would have waited for comes
// while those before it run. Keys are foreseen in the order of their transactions, three ahead at
// best. Their bytes must not change before they are used, or [Tx.DropPrefetched] is called. It
// changes no key.
func (tx *Tx) Prefetch(db int, key []byte) {
	before, added := tx.foresight.add(tx.know(key))
	prefetch(unsafe.Pointer(tx.s.partitionOf(added.slot)), tx.chart(db, added).indexLine(added.hash))
	if before.at != nil {
		prefetch(unsafe.Pointer(&tx.s.partitionOf(before.slot).tables[db]), tx.chart(db, before).cell(before.hash))
	}
}

// know works out what there is to know of a key.
func (tx *Tx) know(key []byte) foreseen {
	t := &tx.s.partitions[0].tables[0] // all hash alike
	return foreseen{at: unsafe.SliceData(key), size: len(key), slot: Slot(key), hash: t.hash(key)}
}

// chart is of the table of a key that was foreseen.
func (tx *Tx) chart(db int, f *foreseen) *chart {
	return tx.s.charts[db*Partitions+PartitionOf(f.slot)].Load()
}

// PrefetchAll has the cells of keys of the running transaction fetched from memory together: found one
// after the other, each would be waited for by itself. Their bytes must not change before the
// transaction ends, or others are gathered. It changes no key.
func (tx *Tx) PrefetchAll(keys [][]byte) {
	tx.gathered = tx.gathered[:0]
	for _, key := range keys {
		t := &tx.partition(key).tables[tx.db]
		hash := t.hash(key)
		tx.gathered = append(tx.gathered, foreseen{at: unsafe.SliceData(key), size: len(key), hash: hash})
		prefetch(unsafe.Pointer(t), t.chart.Load().indexLine(hash))
	}
	for i, key := range keys {
		t := &tx.partition(key).tables[tx.db]
		prefetch(unsafe.Pointer(t), t.chart.Load().cell(tx.gathered[i].hash))
	}
}

// DropPrefetched takes back what was foreseen, and keeps no key's bytes alive.
func (tx *Tx) DropPrefetched() {
	tx.foresight, tx.key = foresight{}, foreseen{}
	clear(tx.gathered[:cap(tx.gathered)])
	tx.gathered = tx.gathered[:0]
}

// hash is a key's hash. That of a transaction on one key is known, and those of gathered keys are.
func (tx *Tx) hash(t *table, key []byte) uint64 {
	if tx.key.is(key) {
		return tx.key.hash
	}
	for i := range tx.gathered {
		if g := &tx.gathered[i]; g.is(key) {
			return g.hash
		}
	}
	return t.hash(key)
}
