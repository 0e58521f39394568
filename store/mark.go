package store

// SetSince changes Since of a running long transaction, because it has waited for its partitions.
func (tx *Tx) SetSince(since int64) {
	tx.Since = since
	tx.eachPartition(func(p *partition) { p.mu.long.Store(since) })
}

// Holds reports whether the transaction has locked all partitions of a footprint.
func (tx *Tx) Holds(fp *Footprint) bool {
	if tx.only != nil {
		var own Footprint
		own.add(int(tx.only.index))
		return own.contains(fp)
	}
	return tx.fp.contains(fp)
}
