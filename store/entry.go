package store

import (
	"math"

	"cellserver/internal/decimal"
)

// Kind is what a key holds.
type Kind uint8

// The kinds of values. An integer is its own kind: counters and TATs are cells.
const (
	None   Kind = iota // no such key
	Int                // a string that is a canonical int64
	Raw                // any other string
	Sorted             // a sorted set
)

// NoExpiry is the expiry of a key that stays.
const NoExpiry int64 = math.MinInt64

// Entry is a key's place in the keyspace, for the length of a transaction: found once,
// then read and written. It follows its cell when other writes move it.
type Entry struct {
	tx   *Tx
	t    *table
	g    *segment
	key  []byte
	hash uint64
	gen  uint64
	off  uint32 // 0: absent
	slot int    // index slot, when found
	db   int
}

// Peek finds a key without counting it as used: for TYPE, TTL, OBJECT and the like.
func (tx *Tx) Peek(key []byte) (e Entry) {
	tx.find(&e, key)
	return e
}

// Read finds a key for a command that reads its value: it counts as a hit or a miss,
// and as a use.
func (tx *Tx) Read(key []byte) (e Entry) {
	tx.find(&e, key)
	if e.off == 0 {
		tx.s.misses.Add(1)
		return e
	}
	tx.s.hits.Add(1)
	if !tx.NoTouch {
		e.touchAccess()
	}
	return e
}

// Write finds a key for a command that may change it. It counts as a use.
func (tx *Tx) Write(key []byte) (e Entry) {
	tx.WriteIn(&e, key)
	return e
}

// WriteIn is [Tx.Write] into an entry: to copy one takes as long as to find it.
func (tx *Tx) WriteIn(e *Entry, key []byte) {
	tx.find(e, key)
	if e.off != 0 && !tx.NoTouch {
		e.touchAccess()
	}
}

// WriteTATIn finds a key for a command to which a TAT that has passed says the same as no
// key: such a cell, though its time is over, is found as it is, to be overwritten in
// place instead of removed and made anew. Otherwise it is [Tx.WriteIn].
func (tx *Tx) WriteTATIn(e *Entry, key []byte) {
	tx.locate(e, key)
	if e.off == 0 {
		return
	}
	if c := e.cell(); !c.has(cellExpiryIsTAT) && c.over(tx.now) {
		e.expire()
	} else if !tx.NoTouch {
		e.touchAccess()
	}
}

// find finds the key's cell. One whose time is over is removed on the spot: expiry is
// exact on access.
func (tx *Tx) find(e *Entry, key []byte) {
	tx.locate(e, key)
	if e.off != 0 && e.cell().over(tx.now) && !tx.KeepExpired {
		e.expire()
	}
}

// locate is find without a look at the time.
func (tx *Tx) locate(e *Entry, key []byte) {
	t := &tx.partition(key).tables[tx.db]
	e.tx, e.t, e.key, e.db = tx, t, key, tx.db
	e.hash, e.gen = tx.hash(t, key), t.gen
	e.g, e.off, e.slot = t.find(key, e.hash)
}

// expiredCell reports whether the key is there but its time is over.
func (tx *Tx) expiredCell(key []byte) bool {
	t := &tx.partition(key).tables[tx.db]
	g, off, _ := t.find(key, t.hash(key))
	return off != 0 && g.cell(off).over(tx.now)
}

func (e *Entry) expire() {
	e.tx.s.expired.Add(1)
	e.Delete()
}

// sync finds the cell again if it may have moved.
func (e *Entry) sync() {
	if e.gen != e.t.gen {
		e.locate()
	}
}

// locate finds the cell, wherever it is by now. It is rarely called, from many places: those
// it shall not make too large to be part of their callers.
//
//go:noinline
func (e *Entry) locate() {
	e.gen = e.t.gen
	e.g, e.off, e.slot = e.t.find(e.key, e.hash)
}

// cell returns the key's cell, wherever it is by now. The key must exist.
func (e *Entry) cell() cell {
	e.sync()
	return e.g.cell(e.off)
}

// Exists reports whether the key is there.
func (e *Entry) Exists() bool {
	e.sync()
	return e.off != 0
}

// Key returns the key.
func (e *Entry) Key() []byte { return e.key }

// Kind returns what the key holds.
func (e *Entry) Kind() Kind {
	if !e.Exists() {
		return None
	}
	return e.cell().kind()
}

// Number returns the integer of an absent key, 0, or of one of kind Int; ok says whether it is one.
func (e *Entry) Number() (n int64, ok bool) {
	if !e.Exists() {
		return 0, true
	}
	c := e.g.cell(e.off)
	if c.kind() != Int {
		return 0, false
	}
	return c.value(), true
}

// Int returns the integer of an entry of kind Int, 0 when the key is absent.
func (e *Entry) Int() int64 {
	if !e.Exists() {
		return 0
	}
	return e.cell().value()
}

// Bytes returns the string of an entry of kind Int or Raw, nil when the key is absent.
// It is the store's own for Raw, and in scratch for Int: read it, do not keep it.
func (e *Entry) Bytes(scratch []byte) []byte {
	switch e.Kind() {
	case Int:
		return decimal.Append(scratch[:0], e.Int())
	case Raw:
		return e.value().bytes
	}
	return nil
}

// Sorted returns the sorted set of an entry of kind Sorted, nil when the key is absent.
// Read it only: changes go through ZAdd and ZRem.
func (e *Entry) Sorted() *SortedSet {
	if e.Kind() != Sorted {
		return nil
	}
	return e.value().sorted
}

func (e *Entry) value() *value { return e.t.values.at(e.cell().value()) }

// ExpireAt returns the expiry in Unix milliseconds, or NoExpiry.
func (e *Entry) ExpireAt() int64 {
	if !e.Exists() {
		return NoExpiry
	}
	return e.cell().expireAt()
}

// TTL returns the milliseconds until the key's time is over, at least 0, or NoExpiry.
// That of a throttle key is the time to its TAT, rounded down: so it is never off by
// more than one from what redis-cell leaves.
func (e *Entry) TTL() int64 {
	at := e.ExpireAt()
	if at == NoExpiry {
		return NoExpiry
	}
	if c := e.cell(); c.has(cellExpiryIsTAT) {
		return max(floorMillis(c.value()-e.tx.now), 0)
	}
	return max(at-e.tx.NowMillis(), 0)
}

// Memory returns the bytes that the entry takes: its cell, its place in the index and
// its value. It is 0 when the key is absent.
func (e *Entry) Memory() int64 {
	if !e.Exists() {
		return 0
	}
	c := e.cell()
	const indexSlot = 4
	n := int64(c.size() + indexSlot)
	if c.has(cellBigKey) {
		n += int64(len(e.t.keyOf(c))) + valueOverhead
	}
	if k := c.kind(); k == Raw || k == Sorted {
		v := e.value()
		n += v.size()
	}
	return n
}
