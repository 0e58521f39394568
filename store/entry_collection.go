package store

// SetLimits bounds the compact forms of collections, to [value.MostEntries] at most. Collections that are
// there keep their form until they grow.
func (s *Store) SetLimits(l Limits) {
	l = l.Bounded()
	s.limits.Store(&l)
}

// Change changes the collection that the key holds, or makes it if the change does so. The key must be
// absent or hold a collection of the change's type. Without members the key is removed. If nothing changes,
// there is no effect.
func (e *Entry) Change(how *Change, o Operands) (added, changed bool) {
	if !how.Makes && !e.Exists() {
		return false, false
	}
	c, before := Collection(nil), int64(0)
	if e.Exists() {
		c = e.place.Writable()
		before = c.Bytes()
	}
	e.tx.operands = o // there, they cost no allocation
	now, did := how.Apply(c, &e.tx.operands, e.tx.s.limits.Load())
	if !did.Changed {
		return false, false
	}
	if c == nil {
		e.setCollection(now, NoExpiry)
	} else {
		e.place.Replace(now, before)
	}
	f := e.record(OpChange)
	f.Change, f.Operands = how, o
	e.removeIfEmpty(now)
	return did.Added, true
}

// Apply does what an effect of another store says, [OpChange] or [OpStore]. It reports false and does
// nothing if the key holds a value of another type.
func (e *Entry) Apply(t *Type, how *Change, o Operands) bool {
	if e.Exists() && e.Kind() != t.Kind {
		return false
	}
	e.Change(how, o)
	return true
}

// SetCollection makes the key hold a collection, whatever it held before, until expireAt (Unix
// milliseconds, or NoExpiry). The collection must not be empty, and is the store's own from then
// on.
func (e *Entry) SetCollection(c Collection, expireAt int64) {
	e.setCollection(c, expireAt)
	f := e.record(OpStore)
	f.Collection, f.At = c, expireAt
	if typeOf[c.Kind()].Once && !e.tx.Silent {
		f.Collection = c.Clone() // later effects of the transaction must not be in it
	}
}

// setCollection makes the key hold a collection.
func (e *Entry) setCollection(c Collection, expireAt int64) {
	if e.place.SetCollection(c, expireAt) {
		e.tx.touch(e.place.Cell())
	}
}

// removeIfEmpty removes the key if its collection is empty. That is no effect of its own:
// applying the effect that removed the last member does the same.
func (e *Entry) removeIfEmpty(c Collection) {
	if c.Len() == 0 {
		e.place.Remove()
	}
}

// StoreAll makes the key hold a collection of members until expireAt, whatever it held before. members calls
// add with the operands of the type's whole change for each. Without members the key is removed.
func (e *Entry) StoreAll(t *Type, expireAt int64, members func(add func(Operands))) {
	var c Collection
	tx := e.tx
	limits := tx.s.limits.Load()
	members(func(o Operands) {
		tx.operands = o
		c, _ = t.Whole.Apply(c, &tx.operands, limits)
	})
	if c == nil || c.Len() == 0 {
		e.Delete()
		return
	}
	e.SetCollection(c, expireAt)
}
