package persistence

import (
	"bytes"

	"cellserver/store"
)

// aheadLimit is how far ahead the clock may have been before anything is done about it, in
// nanoseconds: clocks are set right by less every day.
const aheadLimit = int64(1e9)

// catchUp looks whether the files that were loaded are of the future: then the clock was
// ahead when they were written, and has been set right since. A TAT of theirs is as far
// ahead, and would keep its user out for the difference. So all of them are put back by it,
// which can only make a limiter more permissive. It reports whether there were any.
func (m *Manager) catchUp() (found bool) {
	now := m.clock.Now()
	ahead := m.loading.changed.Load() - now
	if ahead <= aheadLimit {
		return false
	}
	var all store.Footprint
	all.AddAll()
	tx := m.store.NewTx()
	tx.Silent = true
	tx.Begin(now, 0, &all)
	defer tx.End()
	n := 0
	for db := range m.store.Databases() {
		tx.Select(db)
		for _, key := range throttled(tx) {
			e := tx.Write(key)
			putBack(&e, e.Int()-ahead, now)
			n++
		}
	}
	m.log.Warn("the data was written by a clock that was ahead of today's: throttle keys are put back by as much", "seconds", ahead/1e9, "keys", n)
	return n > 0
}

// throttled returns the keys of a database that hold a TAT: a time in nanoseconds, at which
// they expire. The redis-cell module lets them expire up to 2 ms before.
func throttled(tx *store.Tx) (keys [][]byte) {
	tx.Each(func(e *store.Entry) {
		if e.Kind() != store.Int || e.ExpireAt() == store.NoExpiry {
			return
		}
		if early := e.Int()/1e6 + 1 - e.ExpireAt(); 0 <= early && early <= 3 {
			keys = append(keys, bytes.Clone(e.Key()))
		}
	})
	return keys
}

// putBack makes a key hold another TAT, or nothing once that has passed.
func putBack(e *store.Entry, tat, now int64) {
	if tat <= now {
		e.Delete()
		return
	}
	e.SetInt(tat, (tat+1e6-1)/1e6)
}
