package table

import (
	"cellserver/internal/decimal"
	"cellserver/store/value"
)

// Place is a key's place in a table, also if the key is absent. The caller finds it once, and reads
// and writes the key through it. A Place follows its cell when other writes move the cell. It is
// valid while the caller holds the partition's lock.
type Place struct {
	t    *Table
	g    *segment
	key  []byte
	hash uint64
	gen  uint64 // of the table, when the cell was looked up
	off  uint32 // 0: the key is absent
	slot uint32 // index slot, if the key is there
}

// sync looks the cell up again if it may have moved.
func (p *Place) sync() {
	if p.gen != p.t.gen {
		p.lookUp()
	}
}

// lookUp finds the cell. It runs rarely, and many methods call it. It is not inlined, so those
// methods stay small enough for the compiler to inline them.
//
//go:noinline
func (p *Place) lookUp() {
	g, off, slot := p.t.find(p.key, p.hash)
	p.g, p.off, p.slot, p.gen = g, off, uint32(slot), p.t.gen
}

// Exists reports whether the key is there.
func (p *Place) Exists() bool {
	p.sync()
	return p.off != 0
}

// Found is Exists right after [Table.Find].
func (p *Place) Found() bool { return p.off != 0 }

// Hide makes the place one of an absent key. Only a reader may use it afterwards.
func (p *Place) Hide() { p.off = 0 }

// Cell returns the key's cell. The key must be there.
func (p *Place) Cell() Cell {
	p.sync()
	return p.g.cell(p.off)
}

// Key returns the key.
func (p *Place) Key() []byte { return p.key }

// Kind returns what the key holds.
func (p *Place) Kind() value.Kind {
	if !p.Exists() {
		return value.None
	}
	return p.Cell().Kind()
}

// Number returns the integer of a key of kind Int, or 0 if the key is absent. ok is false for
// other kinds.
func (p *Place) Number() (n int64, ok bool) {
	if !p.Exists() {
		return 0, true
	}
	return p.g.cell(p.off).number()
}

// Volatile returns the integer of a key of kind Int that expires, and its expiry in Unix milliseconds. ok is
// false for all other keys.
func (p *Place) Volatile() (n, expireAt int64, ok bool) {
	if !p.Exists() {
		return 0, 0, false
	}
	c := p.g.cell(p.off)
	expireAt = c.ExpireAt()
	return c.Int(), expireAt, c.Kind() == value.Int && expireAt != NoExpiry
}

// Bytes returns the string of a key of kind Int or Raw, nil if the key is absent. The bytes are
// the store's own for Raw, and in scratch for Int. They are valid until the table changes.
func (p *Place) Bytes(scratch []byte) []byte {
	switch p.Kind() {
	case value.Int:
		return decimal.Append(scratch[:0], p.Cell().Int())
	case value.Raw:
		return p.object().bytes()
	}
	return nil
}

// AmongCollections reports whether any key of the table holds a collection.
func (p *Place) AmongCollections() bool { return p.t.objects.collections > 0 }

// AmongBinary reports whether any string of the table begins with a zero byte, or began so earlier. Strings
// that [Place.WriteAt] has changed do not count.
func (p *Place) AmongBinary() bool { return p.t.objects.binary }

// Collection returns the collection that the key holds, nil if it holds none.
func (p *Place) Collection() value.Collection {
	if !p.Kind().IsCollection() {
		return nil
	}
	return p.object().collection()
}

// ExpireAt returns the expiry in Unix milliseconds, or NoExpiry.
func (p *Place) ExpireAt() int64 {
	if !p.Exists() {
		return NoExpiry
	}
	return p.g.cell(p.off).ExpireAt()
}

// Memory returns the bytes that the key takes: its cell, its index slot and its objects. It is
// 0 if the key is absent.
func (p *Place) Memory() int64 {
	if !p.Exists() {
		return 0
	}
	c := p.Cell()
	n := int64(c.size() + slotBytes)
	if c.has(cellBigKey) {
		n += int64(len(p.t.KeyOf(c))) + objectBytes
	}
	if c.refers() {
		n += p.object().size()
	}
	return n
}

// object returns the object of a key whose cell refers to one.
func (p *Place) object() *object { return p.t.objects.at(p.Cell().Int()) }

// Image returns the key as it is.
func (p *Place) Image() Image {
	im := Image{DB: int(p.t.db), Key: p.key, ExpireAt: NoExpiry}
	if p.Exists() {
		p.t.show(&im, p.Cell())
	}
	return im
}

// show makes an image show the value and the expiry of a cell.
func (t *Table) show(im *Image, c Cell) {
	im.Kind, im.ExpireAt = c.Kind(), c.ExpireAt()
	switch im.Kind {
	case value.Int:
		im.Int = c.Int()
	case value.Raw:
		im.Bytes = t.objects.at(c.Int()).bytes()
	default:
		im.Collection = t.objects.at(c.Int()).collection()
	}
}
