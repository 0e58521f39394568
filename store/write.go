package store

import "cellserver/internal/decimal"

// Delete removes the key and reports whether it was there.
func (e *Entry) Delete() bool {
	if !e.Exists() {
		return false
	}
	e.drop()
	e.record(OpDel)
	return true
}

// drop takes the cell out, without an effect.
func (e *Entry) drop() {
	e.t.keepHead(e.g, e.off)
	e.t.remove(e.g, e.off, e.slot, e.hash)
	e.off, e.gen = 0, e.t.gen
}

// SetInt makes the key hold an integer, whatever it held before, until expireAt (Unix
// milliseconds, or NoExpiry).
func (e *Entry) SetInt(v, expireAt int64) {
	e.store(Int, v, expireAt)
	f := e.record(OpSet)
	f.Int, f.At = v, expireAt
}

// SetBytes makes the key hold a string, whatever it held before, until expireAt (Unix
// milliseconds, or NoExpiry). The bytes are copied. A canonical integer becomes one.
func (e *Entry) SetBytes(b []byte, expireAt int64) {
	if n, ok := decimal.Parse(b); ok {
		e.SetInt(n, expireAt)
		return
	}
	own := e.overwrite(b, expireAt)
	if own == nil {
		own = append(make([]byte, 0, len(b)), b...)
		e.storeValue(Raw, value{bytes: own}, expireAt)
	}
	f := e.record(OpSet)
	f.Value, f.At = own, expireAt
}

// overwrite is storeValue of a string into the memory of the one before, which it returns: nil
// where that has no room or too much, or where someone may still look at it: a snapshot, or an
// earlier effect of the transaction.
func (e *Entry) overwrite(b []byte, expireAt int64) []byte {
	if e.Kind() != Raw || e.t.part.frozen != nil || len(e.tx.effects) > 0 {
		return nil
	}
	v := e.value()
	if room := cap(v.bytes) - len(b); room < 0 || room > len(b)/2 || len(b) == 0 {
		return nil
	}
	v.bytes = append(v.bytes[:0], b...)
	e.setExpiry(expireAt)
	return v.bytes
}

// SetRange overwrites the string from offset on, padding with zero bytes, and keeps
// the expiry; an absent key becomes a string. At the string's length it appends. The
// result is Raw even when its bytes are an integer's. It returns the new length.
func (e *Entry) SetRange(offset int, b []byte) int {
	var old []byte
	if e.Kind() == Raw {
		e.t.preserve(e.g)
		old = e.value().bytes
	} else {
		old = e.Bytes(make([]byte, 0, 20))
		e.storeValue(Raw, value{bytes: old}, e.ExpireAt())
	}
	before := int64(cap(old))
	if offset < len(old) {
		old = e.ownBytes(old)
	}
	if end := offset + len(b); end > len(old) {
		old = append(old, make([]byte, end-len(old))...)
	}
	copy(old[offset:], b)
	e.value().bytes = old
	e.t.account(int64(cap(old)) - before)
	f := e.record(OpSetRange)
	f.Int, f.Value = int64(offset), b
	return len(old)
}

// SetExpiry changes when the key's time is over (Unix milliseconds), or with NoExpiry
// lets it stay. It does nothing when the key is absent.
func (e *Entry) SetExpiry(at int64) {
	if !e.Exists() {
		return
	}
	e.setExpiry(at)
	if at == NoExpiry {
		e.record(OpPersist)
	} else {
		e.record(OpExpire).At = at
	}
}

// record notes an effect on this key and marks the key's watchers. What else there is to say of
// the effect is up to the caller.
func (e *Entry) record(op Op) *Effect {
	f := e.tx.tell()
	f.Op, f.DB, f.Key = op, e.db, e.key
	e.t.part.touch(e.db, e.key)
	return f
}

// store puts a value word in the key's cell, which it makes or clears first.
func (e *Entry) store(k Kind, word, expireAt int64) {
	tat := k == Int && expiryIsTAT(word, expireAt)
	if !e.Exists() {
		e.g, e.off, e.slot = e.t.insert(e.key, e.hash, expireAt != NoExpiry && !tat)
		e.gen = e.t.gen
		e.touchAccess()
	} else {
		e.t.keepHead(e.g, e.off)
		e.t.dropValue(e.cell())
	}
	c := e.cell()
	had := c.has(cellExpiryIsTAT) || c.expireAt() != NoExpiry
	c.clear(cellExpiryIsTAT)
	c.setKind(k)
	c.setValue(word)
	if tat {
		c.set(cellExpiryIsTAT)
		e.expires(had, expireAt)
		return
	}
	e.storeExpiry(c, had, expireAt)
}

// storeValue puts a value in the slab and in the key's cell. The old one leaves the
// slab first, for its going moves others.
func (e *Entry) storeValue(k Kind, v value, expireAt int64) {
	if e.Exists() {
		e.t.keepHead(e.g, e.off)
		e.t.dropValue(e.cell())
	}
	v.hash = e.hash
	e.t.account(v.size())
	e.store(k, e.t.values.put(v), expireAt)
}

func (e *Entry) setExpiry(at int64) {
	c := e.cell()
	e.t.keepHead(e.g, e.off)
	had := c.expireAt() != NoExpiry
	if c.kind() == Int && expiryIsTAT(c.value(), at) {
		c.set(cellExpiryIsTAT)
		e.expires(had, at)
		return
	}
	c.clear(cellExpiryIsTAT)
	e.storeExpiry(c, had, at)
}

// storeExpiry writes the expiry into the cell's room for it, which it makes if need be.
func (e *Entry) storeExpiry(c cell, had bool, at int64) {
	if !c.has(cellHasExpiry) {
		if at == NoExpiry {
			e.expires(had, at)
			return
		}
		c = e.widen()
	}
	c.setExpiryRoom(at)
	e.expires(had, at)
}

// expires keeps the count of keys with an expiry and the segment's bound.
func (e *Entry) expires(had bool, at int64) {
	if has := at != NoExpiry; has != had {
		if has {
			e.t.expire.Add(1)
		} else {
			e.t.expire.Add(-1)
		}
	}
	e.g.expiresBy(at)
}

// widen gives the cell room for an expiry: it moves to a larger place.
func (e *Entry) widen() cell {
	size := e.cell().size()
	_, off := e.t.alloc(e.hash, size+cellExpiry)
	e.locate() // alloc may have moved everything
	old, c := e.cell(), e.g.cell(off)
	copy(c, old[:cellHeader])
	c.set(cellHasExpiry)
	copy(c[cellHeader+cellExpiry:], old.keyBytes())
	e.g.index[e.slot] = e.g.index[e.slot]&^offsetMask | off
	e.g.bury(old)
	e.t.accountCells(-int64(size))
	e.off = off
	e.t.gen++
	e.gen = e.t.gen
	return c
}
