package store

// Left returns a key with the value and the expiry that the transaction leaves, for an [Observer]. The
// transaction must have touched the key.
func (tx *Tx) Left(db int, key []byte) Image {
	selected := tx.db
	tx.db = db
	var e Entry
	tx.locate(&e, key)
	tx.db = selected
	return e.Image()
}
