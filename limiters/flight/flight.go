package flight

import (
	"cellserver/internal/exact"
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/limiters/lease"
	"cellserver/store"
)

// Flight is an adaptive limit in one transaction.
type Flight struct {
	Meter adaptive.Meter
	Ended adaptive.Ended // the window that has ended now
	Place int            // of the meter in the caller's table, also for the next request

	tx     *store.Tx
	now    int64
	key    []byte
	name   []byte // of the key of the state
	state  store.Entry
	kept   kept
	exists bool        // there is a state
	own    store.Entry // the set of the caller
	last   lastRead
}

// Open reads the state of a limit.
func (f *Flight) Open(tx *store.Tx, key []byte, now int64) (err error) {
	if f.name, err = besideKey(f.name[:0], key, stateSuffix); err != nil {
		return err
	}
	f.tx, f.key, f.now, f.Ended = tx, key, now, adaptive.Ended{}
	tx.FindIn(&f.state, f.name, false)
	f.exists, err = f.load()
	return err
}

// Release drops the references to the request. A short name keeps its memory. A nil Flight is allowed.
func (f *Flight) Release() {
	const most = 256
	if f == nil || f.tx == nil {
		return
	}
	name := f.name
	if cap(name) > most {
		name = nil
	}
	*f = Flight{name: name, Place: f.Place, last: f.last}
}

// Limit returns the limit in force, 0 if there is no state yet.
func (f *Flight) Limit() int64 {
	if f.kept.Size == 0 {
		return 0
	}
	return f.kept.State.Limit()
}

// holders finds the holders of a partition, those of no partition for -1.
func (f *Flight) holders(e *store.Entry, partition int) error {
	name := f.key
	if partition >= 0 {
		name, _ = besideKey(nil, f.key, string(f.kept.shares[partition].name))
	}
	f.tx.FindIn(e, name, false)
	return limiters.CheckSorted(e)
}

// crowd counts leases that have not ended.
type crowd struct {
	calls         int64
	first, latest int64 // the ends of leases, Unix ns; 0 if there is no lease
}

// add counts the leases of a set.
func (c *crowd) add(held limiters.Leases, now int64) {
	n := held.Len()
	ended := lease.Ended(held, now)
	if ended == n {
		return
	}
	c.calls += int64(n - ended)
	if first := held.End(ended); c.first == 0 || first < c.first {
		c.first = first
	}
	c.latest = max(c.latest, held.End(n-1))
}

// others counts the calls outside of a partition.
func (f *Flight) others(partition int) (c crowd, err error) {
	for i := -1; i < len(f.kept.shares) && len(f.kept.shares) > 0; i++ {
		if i == partition {
			continue
		}
		var e store.Entry
		if err = f.holders(&e, i); err != nil {
			return c, err
		}
		c.add(limiters.LeasesIn(&e), f.now)
	}
	return c, nil
}

// save stores the state if it has changed, or if it would soon expire. `begins` says that a limit without a
// state gets one.
func (f *Flight) save(old *kept, begins bool) {
	const lives, renewedAfter = 600, 300
	window := max(f.Meter.Window, adaptive.DefaultWindow)
	changed := !f.exists && begins || f.exists && !old.equal(&f.kept)
	soon := exact.Plus(f.now, window*renewedAfter) / 1e6
	renews := f.exists && f.Ended.Result > adaptive.Short && f.state.ExpireAt() < soon
	if changed || renews {
		f.state.SetBytes(f.kept.text(), exact.CeilDiv(exact.Plus(f.now, window*lives), 1e6))
	}
}
