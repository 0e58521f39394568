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

// Foresee has the cell of a key fetched from memory, for the transaction after the next
// one to begin: while that one runs, what this key's would have waited for comes. With a
// nil key it only notes that one transaction is nearer. The key's bytes must not change
// before they are used, or [Tx.ForgetForeseen] is called. It changes no key.
func (tx *Tx) Foresee(db int, key []byte) {
	tx.soon, tx.later = tx.later, foreseen{}
	if len(key) == 0 {
		return
	}
	slot := Slot(key)
	p := &tx.s.partitions[PartitionOf(slot)]
	t := &p.tables[db]
	tx.later = foreseen{at: unsafe.SliceData(key), size: len(key), slot: slot, hash: t.hash(key)}
	if p.mu.TryLock() {
		at := t.cellAt(tx.later.hash)
		p.mu.Unlock()
		prefetch(at) // of no consequence if the cell has moved meanwhile
	}
}

// ForgetForeseen takes back what was foreseen.
func (tx *Tx) ForgetForeseen() { tx.soon, tx.later = foreseen{}, foreseen{} }

// slot is a key's slot.
func (tx *Tx) slot(key []byte) uint16 {
	if tx.soon.is(key) {
		return tx.soon.slot
	}
	return Slot(key)
}

// hash is a key's hash.
func (tx *Tx) hash(t *table, key []byte) uint64 {
	if tx.soon.is(key) {
		return tx.soon.hash
	}
	return t.hash(key)
}

// cellAt returns where the cell of a hash lies, if it is the one in the first slot to look at.
func (t *table) cellAt(hash uint64) unsafe.Pointer {
	if t.dir == nil {
		return nil
	}
	g := t.dir[t.at(hash)]
	off := g.index[hash&uint64(len(g.index)-1)] & offsetMask
	return unsafe.Pointer(&g.arena[off])
}
