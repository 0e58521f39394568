package store

import (
	"unsafe"

	"cellserver/store/memory"
)

// Prefetching loads the memory on the way to a key's cell before a transaction needs it. It
// exists for speed alone.
//
// What it is: [Tx.Prefetch] works out the slot and the hash of a key of a later transaction, and
// issues prefetch instructions for its index and its cell. [Tx.PrefetchAll] does the same for
// several keys of the running transaction. The hashes are kept in keyHashes, so that no key is
// hashed twice (keyhashes.go).
//
// What it brings: the loads of one command overlap with the work of the commands before it. With
// a million keys, a write of a known key takes 139 ns instead of 230 ns, of a new key 224 ns
// instead of 302 ns: go test -run '^$' -bench BenchmarkPrefetch -cpu 1 ./store.
//
// What it must never do: change a key, or decide anything. Without any call of it, transactions
// do the same. It finds a cell without the partition's lock, so the address may be wrong; only
// prefetch instructions use it.

// Prefetch prefetches the way to a key's cell, and the cell of the key before it, or the place
// where that cell will be made. Prefetch keys in the order of their transactions, three ahead at
// best. The bytes of a key must not change until its transaction has begun, or until
// [Tx.DropPrefetched].
func (tx *Tx) Prefetch(db int, key []byte) {
	before, added := tx.hashes.later.add(hashKey(tx.s.anyTable(), key))
	d := tx.s.tables.databases[db].Load()
	if d == nil {
		return
	}
	p := PartitionOf(added.slot)
	memory.Prefetch(unsafe.Pointer(&tx.s.partitions[p]), d.segmaps[p].Load().IndexLine(added.hash))
	if before.at != nil {
		p := PartitionOf(before.slot)
		memory.Prefetch(unsafe.Pointer(d.tables[p].Load()), d.segmaps[p].Load().CellAddress(before.hash))
	}
}

// PrefetchAll prefetches the cells of several keys of the running transaction together. Looked
// up one by one, each key would wait for memory alone. The bytes of the keys must not change
// until the transaction ends, or until the next PrefetchAll.
func (tx *Tx) PrefetchAll(keys [][]byte) {
	h := &tx.hashes
	h.batch = h.batch[:0]
	for _, key := range keys {
		t := tx.s.tables.of(tx.partition(key), tx.db)
		hash := t.Hash(key)
		h.batch = append(h.batch, hashedKey{at: unsafe.SliceData(key), size: len(key), hash: hash})
		memory.Prefetch(unsafe.Pointer(t), t.SegmentMap().IndexLine(hash))
	}
	for i, key := range keys {
		t := tx.s.tables.of(tx.partition(key), tx.db)
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
