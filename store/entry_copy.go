package store

import (
	"cellserver/internal/pieces"
	"cellserver/store/sortedset"
)

// CopyTo makes the key dst of database db hold a copy of the entry's value and expiry, whatever
// dst held before. Source and target must differ.
func (e *Entry) CopyTo(db int, dst []byte) {
	if !e.Exists() {
		return
	}
	d := e.in(db, dst)
	was := e.Image() // now, because finding dst may move cells
	d.SetImage(&was)
}

// SetImage makes the key hold a copy of the value and the expiry that an image shows, whatever it held
// before. The image may be of another store.
func (e *Entry) SetImage(was *Image) {
	switch was.Kind {
	case None:
		e.Delete()
	case Int:
		e.SetInt(was.Int, was.ExpireAt)
	case Raw:
		e.adoptBytes(pieces.Append([]byte{}, was.Bytes), was.ExpireAt) // not nil: an effect without Value means Int
	default:
		e.SetCollection(was.Collection.Clone(), was.ExpireAt)
	}
}

// SetDraft is [Entry.SetImage] for a copy that nobody reads after the image has changed. It shares the
// memory of a large sorted set, so the time does not depend on its size.
func (e *Entry) SetDraft(was *Image) {
	if was.Kind == Sorted {
		e.SetCollection(sortedset.Of(was.Collection).Draft(), was.ExpireAt)
		return
	}
	e.SetImage(was)
}

// Rename gives the key another name in its database, and replaces the key of that name. The value and the
// expiry stay the same. The names must differ. If the key is absent, nothing changes.
//
// No value is copied, so a rename takes the same time for every size.
func (e *Entry) Rename(to []byte) {
	if !e.Exists() {
		return
	}
	d := e.in(e.db, to)
	e.moveTo(&d)
	e.record(OpRename).Value = d.place.Key()
}

// Move moves the key with its expiry to another database. It does nothing if the key is absent, or
// if that database has a key of the name. It reports whether the key moved.
func (e *Entry) Move(db int) bool {
	if !e.Exists() {
		return false
	}
	d := e.in(db, e.place.Key())
	if d.Exists() {
		return false
	}
	e.moveTo(&d)
	e.record(OpMove).Int = int64(db)
	return true
}

// moveTo moves the value and the expiry to another key. It writes the other key first: if there
// is no memory for that key, nothing has changed.
func (e *Entry) moveTo(d *Entry) {
	expireAt := e.ExpireAt()
	switch e.Kind() {
	case Int:
		if d.place.SetInt(e.Int(), expireAt) {
			d.tx.touch(d.place.Cell())
		}
	case Raw:
		d.setOwnBytes(e.Bytes(nil), expireAt)
	default:
		d.setCollection(e.Collection(), expireAt)
	}
	*e = e.in(e.db, e.place.Key()) // the new key may have moved this key's cell
	e.place.Remove()
	d.p.markDirty(d.db, d.place.Key())
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
