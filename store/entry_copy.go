package store

// CopyTo makes the key dst of database db hold a copy of the entry's value and expiry, whatever
// dst held before. Source and target must differ.
func (e *Entry) CopyTo(db int, dst []byte) {
	if !e.Exists() {
		return
	}
	at := e.ExpireAt()
	d := e.in(db, dst)
	switch e.Kind() {
	case Int:
		d.SetInt(e.Int(), at)
	case Raw:
		b := append([]byte{}, e.Bytes(nil)...) // not nil: an effect without Value means Int
		d.setOwnBytes(b, at)
		f := d.record(OpSet)
		f.Value, f.At = b, at
	default:
		d.SetCollection(e.Collection().Clone(), at)
	}
}

// MoveTo makes the key dst of database db hold the entry's value and expiry, whatever dst held
// before, and removes the entry. Source and target must differ.
func (e *Entry) MoveTo(db int, dst []byte) {
	if !e.Kind().IsCollection() {
		e.CopyTo(db, dst)
		e.Delete()
		return
	}
	at, c := e.ExpireAt(), e.place.TakeCollection()
	e.Delete()
	d := e.in(db, dst)
	d.SetCollection(c, at)
}

// in finds a key of another database in the same transaction.
func (e *Entry) in(db int, key []byte) Entry {
	tx := e.tx
	was := tx.db
	tx.db = db
	d := tx.Peek(key)
	tx.db = was
	return d
}
