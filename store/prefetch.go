package store

import (
	"unsafe"

	"cellserver/store/memory"
	"cellserver/store/table"
)

// Prefetching loads the memory on the way to a key's cell before a transaction needs it. It
// exists for speed alone.
//
// What it is: [Tx.Prefetch] works out the slot and the hash of a key of a later transaction, and
// issues prefetch instructions for its index and its cell. [Tx.PrefetchAll] does the same for
// several keys of the running transaction. The hashes are kept in keyHashes, so that no key is
// hashed twice.
//
// What it brings: with a million keys, the loads of one command overlap with the work of the
// commands before it. To measure it, compare go test -run '^$' -bench BenchmarkPrefetch ./store
// with the same benchmark without its call of Prefetch.
//
// What it must never do: change a key, or decide anything. Without any call of it, transactions
// do the same. It finds a cell without the partition's lock, so the address may be wrong; only
// prefetch instructions use it.

// hashedKey is the slot and the hash of a key. It means the key by its place in a buffer, whose
// bytes must not have changed since.
type hashedKey struct {
	at   *byte
	size int
	slot uint16
	hash uint64
}

// is reports whether k means this key. The zero hashedKey means none.
func (k *hashedKey) is(key []byte) bool {
	return k.at != nil && k.at == unsafe.SliceData(key) && k.size == len(key)
}

// keyHashes are the hashes of keys that are known before the keys are looked up.
type keyHashes struct {
	later hashQueue   // of later transactions
	key   *hashedKey  // of a transaction on one key, in later or own; nil for other transactions
	own   hashedKey   // of a transaction on one key that was not prefetched
	batch []hashedKey // of [Tx.PrefetchAll], without their slots
}

// clear drops the hashes of the former transaction.
func (h *keyHashes) clear() { h.key, h.batch = nil, h.batch[:0] }

// hashQueue holds the keys of the transactions to come, in their order.
type hashQueue struct {
	keys       [4]hashedKey // from first up to end, each modulo 4
	first, end uint
}

// take finds a key, and drops it and all before it. It returns nil if the key is not there. The
// result is valid until the next add.
func (q *hashQueue) take(key []byte) *hashedKey {
	for i := q.first; i != q.end; i++ {
		if k := &q.keys[i%uint(len(q.keys))]; k.is(key) {
			q.first = i + 1
			return k
		}
	}
	return nil
}

// add puts one key at the end. It returns it and the key before it.
func (q *hashQueue) add(k hashedKey) (before, added *hashedKey) {
	n := uint(len(q.keys))
	if q.end-q.first == n {
		q.first++
	}
	before, added = &q.keys[(q.end-1)%n], &q.keys[q.end%n]
	*added = k
	q.end++
	return before, added
}

// Prefetch prefetches the way to a key's cell, and the cell of the key before it, or the place
// where that cell will be made. Prefetch keys in the order of their transactions, three ahead at
// best. The bytes of a key must not change until its transaction has begun, or until
// [Tx.DropPrefetched].
func (tx *Tx) Prefetch(db int, key []byte) {
	before, added := tx.hashes.later.add(tx.hashKey(key))
	memory.Prefetch(unsafe.Pointer(tx.s.partitionOf(added.slot)), tx.segmentMap(db, added).IndexLine(added.hash))
	if before.at != nil {
		memory.Prefetch(unsafe.Pointer(&tx.s.partitionOf(before.slot).tables[db]), tx.segmentMap(db, before).CellAddress(before.hash))
	}
}

// PrefetchAll prefetches the cells of several keys of the running transaction together. Looked
// up one by one, each key would wait for memory alone. The bytes of the keys must not change
// until the transaction ends, or until the next PrefetchAll.
func (tx *Tx) PrefetchAll(keys [][]byte) {
	h := &tx.hashes
	h.batch = h.batch[:0]
	for _, key := range keys {
		t := &tx.partition(key).tables[tx.db]
		hash := t.Hash(key)
		h.batch = append(h.batch, hashedKey{at: unsafe.SliceData(key), size: len(key), hash: hash})
		memory.Prefetch(unsafe.Pointer(t), t.SegmentMap().IndexLine(hash))
	}
	for i, key := range keys {
		t := &tx.partition(key).tables[tx.db]
		memory.Prefetch(unsafe.Pointer(t), t.SegmentMap().CellAddress(h.batch[i].hash))
	}
}

// DropPrefetched drops all hashes. It keeps no key's bytes alive.
func (tx *Tx) DropPrefetched() {
	h := &tx.hashes
	h.later, h.key, h.own = hashQueue{}, nil, hashedKey{}
	clear(h.batch[:cap(h.batch)])
	h.batch = h.batch[:0]
}

// partitionOfKey returns the partition of the key of a transaction on one key, and keeps its hash.
func (tx *Tx) partitionOfKey(key []byte) *partition {
	h := &tx.hashes
	h.batch = h.batch[:0]
	k := h.later.take(key)
	if k == nil {
		h.own = tx.hashKey(key)
		k = &h.own
	}
	h.key = k
	return tx.s.partitionOf(k.slot)
}

// hashOf returns the hash of a key in a table, which it need not work out if it is known.
func (tx *Tx) hashOf(t *table.Table, key []byte) uint64 {
	h := &tx.hashes
	if h.key != nil && h.key.is(key) {
		return h.key.hash
	}
	for i := range h.batch {
		if k := &h.batch[i]; k.is(key) {
			return k.hash
		}
	}
	return t.Hash(key)
}

// hashKey works out the slot and the hash of a key.
func (tx *Tx) hashKey(key []byte) hashedKey {
	t := &tx.s.partitions[0].tables[0] // all tables hash alike
	return hashedKey{at: unsafe.SliceData(key), size: len(key), slot: Slot(key), hash: t.Hash(key)}
}

// segmentMap returns the map of the table that holds a key.
func (tx *Tx) segmentMap(db int, k *hashedKey) *table.SegmentMap {
	return tx.s.segmaps[db*Partitions+PartitionOf(k.slot)].Load()
}
