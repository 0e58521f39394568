package store

// Reserve makes room for the next keys of the transaction's database, while the server loads data.
// Each partition makes room for its share at once, instead of growing step by step. Reserve exists
// for speed alone and changes no key; see table.Reserve. With 0 keys, it ends the reservation and
// gives unused room back. A share takes at most 13 bytes a key. The footprint must be whole.
func (tx *Tx) Reserve(keys int) {
	for i := range tx.s.partitions {
		if keys > 0 {
			tx.s.tables.findOrMake(&tx.s.partitions[i], tx.db).Reserve(keys / Partitions)
		} else if t := tx.s.tables.find(i, tx.db); t != nil {
			t.Release()
		}
	}
}

// ReleaseReserved ends the reservations of all databases. The footprint must be whole.
func (tx *Tx) ReleaseReserved() {
	was := tx.db
	for _, tx.db = range tx.s.tables.used() {
		tx.Reserve(0)
	}
	tx.db = was
}
