package store

// Left returns a key as the transaction leaves it, for an [Observer]. The transaction has touched the key.
func (tx *Tx) Left(db int, key []byte) Image {
	selected := tx.db
	tx.db = db
	var e Entry
	tx.locate(&e, key)
	tx.db = selected
	return e.Image()
}
