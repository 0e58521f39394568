package store

import (
	"slices"

	"cellserver/internal/decimal"
)

// Delete removes the key and reports whether it was there.
func (e *Entry) Delete() bool {
	if !e.Exists() {
		return false
	}
	e.place.Remove()
	e.record(OpDel)
	return true
}

// SetInt makes the key hold an integer, whatever it held before, until expireAt (Unix
// milliseconds, or NoExpiry).
func (e *Entry) SetInt(v, expireAt int64) {
	if e.place.SetInt(v, expireAt) {
		e.tx.touch(e.place.Cell())
	}
	f := e.record(OpSet)
	f.Int, f.At = v, expireAt
}

// SetBytes makes the key hold a string, whatever it held before, until expireAt (Unix
// milliseconds, or NoExpiry). It copies the bytes. If they are a canonical integer, the key
// holds the integer.
func (e *Entry) SetBytes(b []byte, expireAt int64) {
	if n, ok := decimal.Parse(b); ok {
		e.SetInt(n, expireAt)
		return
	}
	own := e.overwrite(b, 0, expireAt)
	if own == nil {
		own = make([]byte, len(b))
		copy(own, b) // right after make, so that the compiler does not clear the memory first
		e.adoptBytes(own, expireAt)
		return
	}
	f := e.record(OpSet)
	f.Value, f.At = own, expireAt
}

// SetBytesWithRoom is [Entry.SetBytes] for bytes that are not an integer, and that soon grow. New memory has
// room bytes free. The bytes take the memory of the key's string if [table.Place.Overwrite] allows it with
// mostRoom, and if the transaction has written nothing before.
func (e *Entry) SetBytesWithRoom(b []byte, room, mostRoom int, expireAt int64) {
	if own := e.overwrite(b, mostRoom, expireAt); own != nil {
		f := e.record(OpSet)
		f.Value, f.At = own, expireAt
		return
	}
	e.adoptBytes(append(slices.Grow([]byte(nil), len(b)+room), b...), expireAt)
}

// overwrite is [table.Place.Overwrite]. It also returns nil and changes nothing if an earlier effect of the
// transaction may still show the string.
func (e *Entry) overwrite(b []byte, mostRoom int, expireAt int64) []byte {
	if len(e.tx.effects) > 0 {
		return nil
	}
	return e.place.Overwrite(b, mostRoom, expireAt)
}

// setOwnBytes makes the key hold b, which is the store's own from then on.
func (e *Entry) setOwnBytes(b []byte, expireAt int64) {
	if e.place.SetBytes(b, expireAt) {
		e.tx.touch(e.place.Cell())
	}
}

// adoptBytes is setOwnBytes with its effect. b is not nil, and stays a string even if it is an
// integer's.
func (e *Entry) adoptBytes(b []byte, expireAt int64) {
	e.setOwnBytes(b, expireAt)
	f := e.record(OpSet)
	f.Value, f.At = b, expireAt
}

// SetRange overwrites the string from offset on, pads with zero bytes, and keeps the expiry. An
// absent key becomes a string. With the string's length as offset it appends. The result is of
// kind Raw even if its bytes are an integer's. SetRange returns the new length. If there is no memory for a
// long gap of zero bytes, it panics with [ErrExhausted], and nothing has changed.
func (e *Entry) SetRange(offset int, b []byte) int {
	var digits [20]byte
	if offset-len(e.Bytes(digits[:0])) >= longGap {
		e.tx.s.blocks.Demand(offset + len(b))
	}
	if e.Kind() == Raw {
		e.place.Preserve()
	} else {
		e.setOwnBytes(e.Bytes(make([]byte, 0, 20)), e.ExpireAt())
	}
	n := e.place.WriteAt(offset, b)
	f := e.record(OpSetRange)
	f.Int, f.Value = int64(offset), b
	return n
}

// longGap is the number of zero bytes from which SetRange asks the system for memory first. A few bytes of a
// request, or of a log, make a gap of any length.
const longGap = 1 << 20

// SetExpiry changes when the key expires (Unix milliseconds, or NoExpiry). It does nothing if the
// key is absent.
func (e *Entry) SetExpiry(expireAt int64) {
	if !e.Exists() {
		return
	}
	e.place.SetExpiry(expireAt)
	if expireAt == NoExpiry {
		e.record(OpPersist)
	} else {
		e.record(OpExpire).At = expireAt
	}
}

// Touch marks the key's watchers, although its value stays as it is.
func (e *Entry) Touch() { e.p.markDirty(e.db, e.place.Key()) }

// record adds an effect on this key and marks the key's watchers. The caller fills in the other
// fields of the effect.
func (e *Entry) record(op Op) *Effect {
	f := e.tx.newEffect()
	f.Op, f.DB, f.Key = op, e.db, e.place.Key()
	e.p.markDirty(e.db, e.place.Key())
	return f
}
