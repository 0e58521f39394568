package store

import "cellserver/store/table"

// Entry is one key during a transaction: found once, then read and written. The key need not be
// there. An Entry stays valid when other writes move the key's cell.
type Entry struct {
	tx    *Tx
	p     *partition
	place table.Place
	db    int
}

// Peek finds a key and counts nothing. It removes an expired key, as all look-ups do.
func (tx *Tx) Peek(key []byte) (e Entry) {
	tx.locate(&e, key)
	if e.place.Found() && e.place.Cell().Expired(tx.now) && !tx.KeepExpired {
		e.expire()
	}
	return e
}

// Read finds a key for a command that reads its value. It counts as a hit or a miss, and as a
// use.
func (tx *Tx) Read(key []byte) (e Entry) {
	tx.FindIn(&e, key, false) // the use counts alike
	if e.place.Found() {
		tx.s.hits.Add(1)
	} else {
		tx.s.misses.Add(1)
	}
	return e
}

// Look is [Tx.Read], but no use: for TYPE, TTL and OBJECT.
func (tx *Tx) Look(key []byte) Entry {
	defer func(was bool) { tx.NoTouch = was }(tx.NoTouch)
	tx.NoTouch = true
	return tx.Read(key)
}

// Write finds a key for a command that may change it. It counts as a use.
func (tx *Tx) Write(key []byte) (e Entry) {
	tx.FindIn(&e, key, false)
	return e
}

// FindIn is [Tx.Write] into an Entry of the caller. Copying an Entry takes as long as finding the key.
//
// With `keepTAT`, an expired TAT means the same as no key: an expired throttle key
// stays in place, to be overwritten. Removing the cell and making a new one would cost more.
func (tx *Tx) FindIn(e *Entry, key []byte, keepTAT bool) {
	tx.locate(e, key)
	if !e.place.Found() {
		return
	}
	switch c := e.place.Cell(); {
	case keepTAT && c.ExpiryIsTAT(): // it stays, also if it has expired
		tx.touch(c)
	case c.Expired(tx.now) && !tx.KeepExpired:
		e.expire()
	default:
		tx.touch(c)
	}
}

// locate finds a key, expired or not.
func (tx *Tx) locate(e *Entry, key []byte) {
	k := tx.hashes.key
	if k == nil || !k.is(key) {
		k = tx.hash(key)
	}
	p := tx.s.partitionOf(k.slot)
	t := tx.s.tables.find(int(p.index), tx.db)
	if t == nil {
		t = tx.makeTable(p)
	}
	e.tx, e.p, e.db = tx, p, tx.db
	t.Find(&e.place, key, k.hash)
}

// hash returns the hash of a key, and a slot of its partition. It is valid until the next call.
func (tx *Tx) hash(key []byte) *HashedKey {
	h := &tx.hashes
	h.other = HashedKey{slot: uint16(tx.partition(key).index) * slotsPerPartition, hash: tx.s.anyTable().Hash(key)}
	return &h.other
}

func (e *Entry) expire() {
	tx := e.tx
	if tx.s.following.Load() {
		e.place.Hide()
		return
	}
	tx.s.expired.Add(1)
	if tx.s.removed != nil && !tx.Silent {
		tx.s.removed(e.db, e.place.Key(), false)
	}
	e.Delete()
	if n := len(tx.effects); n > 0 && !tx.Silent {
		tx.effects[n-1].Expired = true
	}
}

// Exists reports whether the key is there.
func (e *Entry) Exists() bool { return e.place.Exists() }

// Key returns the key.
func (e *Entry) Key() []byte { return e.place.Key() }

// Kind returns what the key holds.
func (e *Entry) Kind() Kind { return e.place.Kind() }

// Number returns the integer of a key of kind Int, or 0 if the key is absent. ok is false for
// other kinds.
func (e *Entry) Number() (n int64, ok bool) { return e.place.Number() }

// Volatile returns the integer of a key of kind Int that expires, and its expiry in Unix milliseconds. ok is
// false for all other keys.
func (e *Entry) Volatile() (n, expireAt int64, ok bool) { return e.place.Volatile() }

// Int returns the integer of a key of kind Int, or 0 if the key is absent.
func (e *Entry) Int() int64 {
	if !e.Exists() {
		return 0
	}
	return e.place.Cell().Int()
}

// Bytes returns the string of a key of kind Int or Raw, nil if the key is absent. The bytes are
// the store's own for Raw, and in scratch for Int. Read them; do not keep them.
func (e *Entry) Bytes(scratch []byte) []byte { return e.place.Bytes(scratch) }

// Collection returns the collection that the key holds, nil if it holds none. Read it only.
func (e *Entry) Collection() Collection { return e.place.Collection() }

// Image returns the key as it is.
func (e *Entry) Image() Image { return e.place.Image() }

// ExpireAt returns the expiry in Unix milliseconds, or NoExpiry.
func (e *Entry) ExpireAt() int64 { return e.place.ExpireAt() }

// TTL returns the milliseconds until the key expires, at least 0, or NoExpiry. For a throttle
// key it is the time until its TAT, rounded down. So it differs by at most one from the TTL that
// redis-cell leaves.
func (e *Entry) TTL() int64 {
	expireAt := e.ExpireAt()
	if expireAt == NoExpiry {
		return NoExpiry
	}
	if c := e.place.Cell(); c.ExpiryIsTAT() {
		return max(table.FloorMillis(c.Int()-e.tx.now), 0)
	}
	return max(expireAt-e.tx.NowMillis(), 0)
}

// Memory returns the bytes that the key takes: its cell, its index slot and its value. It is 0
// if the key is absent.
func (e *Entry) Memory() int64 { return e.place.Memory() }
