package store

import (
	"unsafe"

	"cellserver/store/table"
)

// HashedKey is a key with its slot and its hash. It identifies the key by its address in a buffer.
// The bytes there must not have changed since.
type HashedKey struct {
	address *byte
	size    int
	slot    uint16
	hash    uint64
}

// Key returns the key.
func (k *HashedKey) Key() []byte { return unsafe.Slice(k.address, k.size) }

// Slot returns the slot of the key.
func (k *HashedKey) Slot() uint16 { return k.slot }

// is reports whether k identifies this key. The zero HashedKey identifies no key.
func (k *HashedKey) is(key []byte) bool {
	return k.address != nil && k.address == unsafe.SliceData(key) && k.size == len(key)
}

// keyHashes are hashes of keys that the transaction computed before it looks the keys up.
type keyHashes struct {
	later hashQueue  // of later transactions
	key   *HashedKey // of a transaction on one key, in later or own; of [Tx.Expect]; nil if no key is known
	own   HashedKey  // of a transaction on one key that was not prefetched
	other HashedKey  // of the key at hand, if it is not known
}

// clear drops the hash of the last transaction.
func (h *keyHashes) clear() { h.key = nil }

// hashQueue holds the keys of the transactions to come, in their order.
type hashQueue struct {
	keys       [4]laterKey // from first up to end, each modulo 4
	first, end uint
}

// laterKey is a key of a transaction to come, with what is known of the way to its value (prefetch.go).
type laterKey struct {
	HashedKey
	cell   unsafe.Pointer // nil: not known
	object unsafe.Pointer // nil: not known, or there is none
}

// take finds a key, and drops it and all before it. It returns nil if the key is not there. The
// result is valid until the next add.
func (q *hashQueue) take(key []byte) *HashedKey {
	for i := q.first; i != q.end; i++ {
		if k := &q.keys[i%uint(len(q.keys))]; k.is(key) {
			q.first = i + 1
			return &k.HashedKey
		}
	}
	return nil
}

// add puts one key at the end.
func (q *hashQueue) add(k HashedKey) {
	if q.end-q.first == uint(len(q.keys)) {
		q.first++
	}
	q.end++
	*q.back(0) = laterKey{HashedKey: k}
}

// back returns the key that was added n keys before the last one, n ≤ 3. It is the zero laterKey if there is
// none.
func (q *hashQueue) back(n uint) *laterKey { return &q.keys[(q.end-1-n)%uint(len(q.keys))] }

// slotOf returns the slot of the key of a transaction on one key, and keeps its hash.
func (h *keyHashes) slotOf(t *table.Table, key []byte) uint16 {
	if h.key = nil; h.later.first != h.later.end {
		h.key = h.later.take(key)
	}
	if h.key == nil {
		h.own = HashedKey{unsafe.SliceData(key), len(key), Slot(key), t.Hash(key)}
		h.key = &h.own
	}
	return h.key.slot
}
