package table

import (
	"cellserver/internal/pieces"
	"cellserver/store/value"
)

// Remove takes the key out. The key must be there.
func (p *Place) Remove() {
	p.sync()
	p.t.saveHead(p.g, p.off, true)
	p.t.remove(p.g, p.off, int(p.slot), p.hash)
	p.off, p.gen = 0, p.t.gen
}

// SetInt makes the key hold an integer, whatever it held before, until expireAt (Unix
// milliseconds, or NoExpiry). It reports whether the key is new.
func (p *Place) SetInt(v, expireAt int64) (created bool) {
	return p.store(value.Int, v, expireAt)
}

// SetBytes makes the key hold b, whatever it held before, until expireAt. b is the table's own
// from then on. SetBytes reports whether the key is new.
func (p *Place) SetBytes(b []byte, expireAt int64) (created bool) {
	p.freeForObject(expireAt)
	p.t.noteString(b)
	return p.storeObject(value.Raw, textObject(b, p.hash), expireAt)
}

// SetCollection makes the key hold a collection, whatever it held before, until expireAt. The
// collection is the table's own from then on. SetCollection reports whether the key is new.
func (p *Place) SetCollection(c value.Collection, expireAt int64) (created bool) {
	p.freeForObject(expireAt)
	return p.storeObject(c.Kind(), object{value: c, hash: p.hash}, expireAt)
}

// Overwrite copies b over the string that the key holds, and sets the expiry. It returns the key's string.
// It returns nil and changes nothing if the key does not hold a string, or if others must still see the
// string. It does the same if the memory of the string is too small or far too large. It is far too large if
// more than mostRoom bytes, and more than half the length of b, would stay free.
func (p *Place) Overwrite(b []byte, mostRoom int, expireAt int64) []byte {
	if p.Kind() != value.Raw || *p.t.keeper != nil {
		return nil
	}
	o := p.object()
	own := o.bytes()
	if room := cap(own) - len(b); room < 0 || room > max(mostRoom, len(b)/2) || len(b) == 0 {
		return nil
	}
	p.roomForExpiry(expireAt)
	own = append(own[:0], b...)
	o.setBytes(own)
	p.t.noteString(own)
	p.SetExpiry(expireAt)
	return own
}

// noteString notes whether a new string begins with a zero byte.
func (t *Table) noteString(b []byte) {
	if len(b) > 0 && b[0] == 0 {
		t.objects.binary = true
	}
}

// WriteAt writes b over the string that the key holds, from offset on. It pads with zero bytes,
// and returns the new length. The key must be of kind Raw.
func (p *Place) WriteAt(offset int, b []byte) int {
	o := p.object()
	own := o.bytes()
	before := cap(own)
	if offset < len(own) {
		own = p.copiedBytes(own)
	}
	if offset == len(own) {
		own = pieces.Append(own, b)
	} else {
		if end := offset + len(b); end > len(own) {
			own = pieces.Extend(own, end-len(own))
		}
		copy(own[offset:], b)
	}
	o.setBytes(own)
	if more := cap(own) - before; more != 0 {
		p.t.addHeap(int64(more))
	}
	return len(own)
}

// Preserve lets others still see the key's string. Call it before the string changes in place.
func (p *Place) Preserve() {
	if k := *p.t.keeper; k != nil {
		k.saveString(p)
	}
}

// Writable returns the key's collection, to be changed. If others must still see the collection as it
// is, Writable returns a fork.
func (p *Place) Writable() value.Collection {
	if k := *p.t.keeper; k != nil {
		return k.writable(p)
	}
	return p.object().collection()
}

// Replace puts a collection in the place of the writable one. before is the bytes that the writable one
// took. Both may be the same.
func (p *Place) Replace(c value.Collection, before int64) {
	if o := p.object(); o.value != any(c) {
		o.value = c
		if k := *p.t.keeper; k != nil && k.Undo != nil {
			k.Undo.note(c)
		}
	}
	p.AddMemory(c.Bytes() - before)
}

// AddMemory counts n more bytes of the key's collection, after a change.
func (p *Place) AddMemory(n int64) {
	p.t.addHeap(n)
	if k := *p.t.keeper; k != nil && k.Undo != nil {
		k.Undo.hold(max(-n, 0))
	}
}

// SetExpiry sets the expiry (Unix milliseconds, or NoExpiry). The key must be there.
func (p *Place) SetExpiry(at int64) {
	c := p.Cell()
	p.t.saveHead(p.g, p.off, false)
	had := c.ExpireAt() != NoExpiry
	if c.Kind() == value.Int && ExpiryIsTAT(c.Int(), at) {
		c.set(cellExpiryIsTAT)
		p.countExpiry(had, at)
		return
	}
	c = p.roomForExpiry(at)
	c.clear(cellExpiryIsTAT)
	p.storeExpiry(c, had, at)
}

// store puts an integer, or a slab index, in the key's cell. It makes the cell first, or frees
// what it refers to.
func (p *Place) store(k value.Kind, word, expireAt int64) (created bool) {
	tat := k == value.Int && ExpiryIsTAT(word, expireAt)
	var c Cell
	if !p.Exists() {
		g, off, slot := p.t.insert(p.key, p.hash, expireAt != NoExpiry && !tat)
		p.g, p.off, p.slot, p.gen = g, off, uint32(slot), p.t.gen
		c, created = g.cell(off), true
	} else {
		p.t.saveHead(p.g, p.off, true)
		c = p.g.cell(p.off)
		if !tat && expireAt != NoExpiry {
			if k == value.Int && c.isIntUntil(expireAt) { // the counter of a window, most of the time
				c.setInt(word)
				return false
			}
			c = p.roomForExpiry(expireAt)
		}
		if c.refers() {
			p.t.dropObject(c)
		}
	}
	had := c.has(cellExpiryIsTAT) || c.ExpireAt() != NoExpiry
	c.clear(cellExpiryIsTAT)
	c.setKind(k)
	c.setInt(word)
	if tat {
		c.set(cellExpiryIsTAT)
		p.countExpiry(had, expireAt)
		return created
	}
	p.storeExpiry(c, had, expireAt)
	return created
}

// freeForObject frees the key's old object before the new one enters the slab: freeing moves
// another object. It makes room for the cell before that, because there may be no memory.
func (p *Place) freeForObject(expireAt int64) {
	if !p.Exists() {
		p.t.prepare(p.key, p.hash)
		return
	}
	p.t.saveHead(p.g, p.off, true)
	p.roomForExpiry(expireAt)
	p.t.dropObject(p.Cell())
}

func (p *Place) storeObject(k value.Kind, o object, expireAt int64) (created bool) {
	p.t.addHeap(o.size())
	return p.store(k, p.t.objects.put(o), expireAt)
}

// storeExpiry writes the expiry into the cell, which has room for it unless it is NoExpiry.
func (p *Place) storeExpiry(c Cell, had bool, at int64) {
	if c.has(cellHasExpiry) {
		c.setExpiryRoom(at)
	}
	p.countExpiry(had, at)
}

// roomForExpiry makes sure that the key's cell, which it returns, has room for an expiry. If there
// is no memory, it panics with [memory.ErrExhausted], and nothing has changed.
func (p *Place) roomForExpiry(at int64) Cell {
	if c := p.Cell(); at == NoExpiry || c.has(cellHasExpiry) {
		return c
	}
	return p.widen()
}

// countExpiry updates the number of cells with an expiry, and the segment's bound.
func (p *Place) countExpiry(had bool, at int64) {
	if has := at != NoExpiry; has != had {
		if has {
			p.t.volatile.Add(1)
		} else {
			p.t.volatile.Add(-1)
		}
	}
	p.g.expiresBy(at)
}

// widen moves the cell to a larger place, with room for an expiry.
func (p *Place) widen() Cell {
	size := p.Cell().size()
	_, off := p.t.alloc(p.hash, size+cellExpiry)
	p.lookUp() // alloc may have moved everything
	from := p.off
	old, c := p.Cell(), p.g.cell(off)
	copy(c, old[:cellHeader])
	c.set(cellHasExpiry)
	c.setExpiryRoom(NoExpiry)
	copy(c[cellHeader+cellExpiry:], old.keyBytes())
	p.g.index[p.slot] = p.g.index[p.slot]&^offsetMask | off
	p.g.kill(from)
	p.t.addCells(-int64(size))
	p.off = off
	p.t.gen++
	p.gen = p.t.gen
	return c
}

// copiedBytes returns the key's string for a change in place. If others must still see the string, it
// returns a copy.
func (p *Place) copiedBytes(b []byte) []byte {
	if k := *p.t.keeper; k != nil && cap(b) > 0 {
		return k.writableBytes(b)
	}
	return b
}
