package persistence

import (
	"bytes"

	"cellserver/store"
)

// maxClockSkew is the largest skew of a file, in nanoseconds, at which its throttle keys stay as
// they are. Every day clocks change by less than that.
const maxClockSkew = int64(1e9)

// correctClock corrects the throttle keys of files from the future. Such files come from a clock that was fast and is
// right now. Their TATs are too large by the skew, and would throttle their users for that long. So correctClock
// subtracts the skew from every TAT. That can only make a limiter more permissive. modified is the time of the newest
// file. found is true if there were such keys.
func (env *environment) correctClock(modified int64) (found bool) {
	now := env.clock.Now()
	skew := modified - now
	if skew <= maxClockSkew {
		return false
	}
	tx := env.lockAll()
	defer tx.End()
	n := 0
	for db := range env.store.Databases() {
		tx.Select(db)
		for _, key := range throttleKeys(tx) {
			e := tx.Write(key)
			setTAT(&e, e.Int()-skew, now)
			n++
		}
	}
	env.log.Warn("files are from the future: the clock was corrected since, and throttle keys were corrected by the same time", "seconds", skew/1e9, "keys", n)
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
