package rules

import (
	"sync"

	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// dryRun has copies of the states of a request, in a store of its own. The copy of a large log shares its
// entries. In the copies, the reservations that are due have been given back. So a request decides as it
// would afterwards, and changes nothing.
type dryRun struct {
	tx   *store.Tx
	of   *store.Tx                      // the transaction of the request
	real [ruleset.MaxLimits]store.Entry // of the states themselves
}

// dryRuns are used again, because few requests need one at the same time.
var dryRuns = sync.Pool{New: func() any {
	tx := store.New(store.Options{}).NewTx()
	tx.Silent, tx.NoTouch, tx.KeepExpired = true, true, true
	return &dryRun{tx: tx}
}}

// startDryRun makes limits refer to copies of their states. keys are the keys of the states.
func startDryRun(of *store.Tx, limits []limiters.Asked, keys []store.HashedKey, now int64) *dryRun {
	r := dryRuns.Get().(*dryRun)
	r.of = of
	var fp store.Footprint
	for i := range keys {
		fp.AddSlot(keys[i].Slot())
	}
	r.tx.Begin(now, 0, &fp)
	for i := range limits {
		e := &limits[i].Entry
		r.real[i] = *e
		was := e.Image()
		*e = r.tx.Peek(keys[i].Key())
		e.SetDraft(&was)
	}
	return r
}

// end makes limits refer to the states again, and drops the copies.
func (r *dryRun) end(limits []limiters.Asked) {
	for i := range limits {
		limits[i].Entry.Delete()
		limits[i].Entry = r.real[i]
	}
	clear(r.real[:])
	r.of = nil
	r.tx.End()
	dryRuns.Put(r)
}
