package persistence

import (
	"bytes"

	"cellserver/store"
)

// maxClockAhead is how far in the future a file may be before its throttle keys are corrected, in
// nanoseconds. Clocks are corrected by less every day.
const maxClockAhead = int64(1e9)

// correctClock corrects throttle keys of files that are from the future: the clock was ahead when they were written,
// and has been corrected since. Their TATs are ahead by the same difference, and would throttle their users for that
// long. So correctClock subtracts the difference from every TAT, which can only make a limiter more permissive.
// modified is when the newest file was written. It reports whether there were such keys.
func (env *environment) correctClock(modified int64) (found bool) {
	now := env.clock.Now()
	ahead := modified - now
	if ahead <= maxClockAhead {
		return false
	}
	tx := env.lockAll()
	defer tx.End()
	n := 0
	for db := range env.store.Databases() {
		tx.Select(db)
		for _, key := range throttleKeys(tx) {
			e := tx.Write(key)
			setTAT(&e, e.Int()-ahead, now)
			n++
		}
	}
	env.log.Warn("files are from the future: the clock was corrected since, and throttle keys were corrected by the same time", "seconds", ahead/1e9, "keys", n)
	return n > 0
}

// throttleKeys returns the keys of a database that hold a TAT: a time in nanoseconds, at which
// they expire. With the redis-cell module they may expire up to 2 ms earlier.
func throttleKeys(tx *store.Tx) (keys [][]byte) {
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

// setTAT makes a key hold another TAT. If the TAT has passed, it deletes the key.
func setTAT(e *store.Entry, tat, now int64) {
	if tat <= now {
		e.Delete()
		return
	}
	e.SetInt(tat, (tat+1e6-1)/1e6)
}
