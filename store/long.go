package store

// BeginLong is Begin for a transaction that may take long. Others can avoid to wait for it.
func (tx *Tx) BeginLong(now int64, db int, fp *Footprint) {
	tx.s.locks.waitFor(fp, tx.mark())
	tx.begin(now, db, fp)
}

// mark marks the locks of a long transaction.
func (tx *Tx) mark() int64 { return max(tx.Since, isLong) }

// TryBeginLong is BeginLong, but does not wait for another long transaction. It returns 0 if the
// transaction has begun, otherwise the Since of the other one. That is 1 if it runs no script.
func (tx *Tx) TryBeginLong(now int64, db int, fp *Footprint) (since int64) {
	if busy := tx.s.locks.try(fp, tx.mark()); busy != nil {
		return max(busy.long.Load(), isLong)
	}
	tx.begin(now, db, fp)
	return 0
}

// SetSince changes Since of a running long transaction, because it has waited for its partitions.
func (tx *Tx) SetSince(since int64) {
	tx.Since = since
	tx.eachPartition(func(p *partition) { p.mu.long.Store(since) })
}

// Holds reports whether the transaction has locked all partitions of a footprint.
func (tx *Tx) Holds(fp *Footprint) bool {
	if tx.only != nil {
		return fp.isWithin(int(tx.only.index))
	}
	return tx.fp.contains(fp)
}

// EachPartition calls f with the index of each partition of a transaction on several.
func (tx *Tx) EachPartition(f func(index int)) { tx.fp.each(f) }

// OnlyPartition returns the index of the partition of a transaction that has locked just one.
func (tx *Tx) OnlyPartition() (index int, ok bool) {
	if tx.only != nil {
		return int(tx.only.index), true
	}
	return tx.fp.single()
}
