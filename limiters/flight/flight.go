package flight

import (
	"bytes"

	"cellserver/internal/exact"
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/limiters/lease"
	"cellserver/store"
)

// Flight is an adaptive limit in one transaction. Its memory serves one request after another. It keeps the
// last state with its text, so the same text is not parsed again.
type Flight struct {
	Meter adaptive.Meter
	Ended adaptive.Ended // the window that has ended now
	Place adaptive.Place // of the meter in the caller's table, also for the next request

	tx      *store.Tx
	now     int64
	key     []byte
	state   stored
	kept    kept        // the state
	changed bool        // kept is no longer what the text of the state says
	own     store.Entry // the set of the caller
}

// Begin begins a request to the limit of a key.
func (f *Flight) Begin(tx *store.Tx, key []byte, now int64) {
	f.changed = f.stale()
	f.tx, f.key, f.now, f.Ended.Result = tx, key, now, adaptive.Open
}

// Release drops the references to the request. A short name keeps its memory. A nil Flight is allowed.
func (f *Flight) Release() {
	const most = 256
	if f == nil || f.tx == nil {
		return
	}
	next := Flight{Place: f.Place, state: stored{text: f.state.text[:0]}}
	if cap(f.state.name) <= most {
		next.state.name, next.state.of = f.state.name, f.state.of
	}
	if !f.stale() {
		next.state.text, next.kept = f.state.text, f.kept
	}
	*f = next
}

// Limit returns the limit in force, 0 if there is no state yet. The state must have been read.
func (f *Flight) Limit() int64 {
	if f.kept.Size == 0 {
		return 0
	}
	return f.kept.State.Limit()
}

// Moved reports whether the window that has ended has moved the limit by more than a tenth.
func (f *Flight) Moved() bool {
	by := f.Ended.Limit - f.Ended.Before
	return f.Ended.Result != adaptive.Open && 10*max(by, -by) > f.Ended.Before
}

// stale reports whether the state in memory is not that of the text.
func (f *Flight) stale() bool { return f.changed || f.Ended.Result > adaptive.Short }

// holders finds the holders of a partition.
func (f *Flight) holders(e *store.Entry, partition int) (held limiters.Leases, err error) {
	name := f.key
	if partition >= 0 {
		name, _ = besideKey(nil, f.key, string(f.kept.shares[partition].name))
	}
	f.tx.FindIn(e, name, false)
	return limiters.LeasesIn(e), limiters.CheckSorted(e)
}

// calls returns how many calls a partition has under way.
func (f *Flight) calls(partition int) (int64, error) {
	var e store.Entry
	held, err := f.holders(&e, partition)
	return f.underWay(held), err
}

// Beside the numbers of partitions, plain is that of callers without a partition, and nobody that of no
// caller.
const (
	plain  = -1
	nobody = -2
)

// others counts the calls outside of a partition.
func (f *Flight) others(partition int) (all int64, err error) {
	for i := plain; i < len(f.kept.shares); i++ {
		if i == partition {
			continue
		}
		n, err := f.calls(i)
		if err != nil {
			return 0, err
		}
		all += n
	}
	return all, nil
}

// underWay returns how many leases have not ended.
func (f *Flight) underWay(held limiters.Leases) int64 {
	return int64(held.Len() - lease.Ended(held, f.now))
}

// save stores the state if it has changed, or if it would soon expire. `begins` says that a limit without a
// state gets one.
func (f *Flight) save(begins bool) {
	const lives, renewedAfter = 600, 300
	if !f.stale() || !f.state.exists && !begins {
		return
	}
	window := max(f.Meter.Window, adaptive.DefaultWindow)
	soon := exact.Plus(f.now, window*renewedAfter) / 1e6
	text := f.kept.text()
	if !bytes.Equal(text, f.state.text) || f.Ended.Result > adaptive.Short && f.state.ExpireAt() < soon {
		f.state.SetBytes(text, exact.CeilDiv(exact.Plus(f.now, window*lives), 1e6))
	}
}
