package store

import (
	"math/bits"
	"sync/atomic"
)

type dirtyFlag = atomic.Bool

// Footprint is the set of partitions that a transaction locks.
type Footprint [Partitions / 64]uint64

// AddKey adds the partition of a key.
func (f *Footprint) AddKey(key []byte) { f.AddSlot(Slot(key)) }

// AddSlot adds the partition of a slot.
func (f *Footprint) AddSlot(slot uint16) {
	f.add(PartitionOf(slot))
}

func (f *Footprint) add(p int) { f[p/64] |= 1 << (p % 64) }

// AddAll adds every partition: the footprint of a command on the whole keyspace.
func (f *Footprint) AddAll() {
	for i := range f {
		f[i] = ^uint64(0)
	}
}

func (f *Footprint) has(p int) bool { return f[p/64]&(1<<(p%64)) != 0 }

// each calls do for every partition in ascending order, the order of locking.
func (f *Footprint) each(do func(p int)) {
	for i, w := range f {
		for ; w != 0; w &= w - 1 {
			do(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// Tx is one transaction: a locked part of the keyspace at one moment. It is used by
// one goroutine and may be used again after End. Reads and writes of keys outside a
// footprint of several partitions panic: that is a fault of the command's key positions.
// With a single partition it is not looked at, since every key's slot would cost as much
// as finding the key.
type Tx struct {
	// NoTouch lets reads and writes not count as uses of their keys (CLIENT NO-TOUCH).
	NoTouch bool
	// KeepExpired lets no key's time be over: the log whose commands are applied again says
	// itself when a key goes.
	KeepExpired bool
	// CountLater lets changes be counted ([Store.Changes]) by [Tx.CountChanges], for many transactions at
	// once: a counter that all share costs more than what else there is to do about a change.
	CountLater bool
	// Silent lets nobody be told of changes: they are no news but what was on disk, and is loaded.
	Silent bool

	s         *Store
	fp        Footprint
	only      *partition // the footprint's partition when it is just one
	now       int64      // Unix nanoseconds
	db        int
	effects   []Effect
	scanned   []scanned // scratch of Scan
	visited   Entry     // what a walk shows: one for all, so that a walk allocates none
	overdue   [][]byte  // keys that a walk found to be over, to be removed at its end
	foresight foresight
	key       foreseen   // of a transaction on one key
	gathered  []foreseen // keys, without their slots
	rng       uint64
	active    bool
	changes   int64  // not counted yet
	untold    Effect // scratch of a silent transaction
}

// keptEffects is for how many effects a transaction keeps room after its end.
const keptEffects = 1024

// NewTx returns a transaction to begin.
func (s *Store) NewTx() *Tx { return &Tx{s: s, rng: s.seed.Add(0x9e3779b97f4a7c15)} }

// Begin locks the footprint's partitions, in ascending order, for a transaction at
// now (Unix nanoseconds) in database db.
func (tx *Tx) Begin(now int64, db int, fp *Footprint) {
	tx.fp, tx.now, tx.db, tx.key, tx.only, tx.active = *fp, now, db, foreseen{}, nil, true
	tx.gathered = tx.gathered[:0]
	n := 0
	for i, w := range fp {
		for ; w != 0; w &= w - 1 {
			p := &tx.s.partitions[i*64+bits.TrailingZeros64(w)]
			p.mu.Lock()
			tx.only = p
			n++
		}
	}
	if n != 1 {
		tx.only = nil
	}
}

// BeginKey is Begin with the footprint of a single key.
func (tx *Tx) BeginKey(now int64, db int, key []byte) {
	known, ok := tx.foresight.take(key)
	if !ok {
		known = tx.know(key)
	}
	p := tx.s.partitionOf(known.slot)
	tx.now, tx.db, tx.key, tx.active = now, db, known, true
	tx.gathered = tx.gathered[:0]
	p.lock()
	tx.only = p
}

// patience is how often a lock that is taken is tried before whoever wants it sleeps: for about as
// long as a few commands on one key take. Waking up takes far longer than they do.
const patience = 256

func (p *partition) lock() {
	for range patience {
		if p.mu.TryLock() {
			return
		}
	}
	p.mu.Lock()
}

// End hands the effects to the observers and unlocks, whatever an observer does. It is a
// no-op after End, so it can be deferred.
func (tx *Tx) End() {
	switch {
	case !tx.active:
	case len(tx.effects) == 0:
		tx.active = false
		tx.unlock()
	default:
		tx.commit()
	}
}

// commit is End for a transaction with effects.
func (tx *Tx) commit() {
	tx.active = false
	defer tx.over()
	tx.changes += int64(len(tx.effects))
	if !tx.CountLater {
		tx.CountChanges()
	}
	for _, o := range tx.s.observers {
		o.Committed(tx, tx.effects)
	}
}

func (tx *Tx) over() {
	tx.forget()
	tx.unlock()
}

// CountChanges counts the changes that were made since it was last called.
func (tx *Tx) CountChanges() {
	if tx.changes > 0 {
		tx.s.changes.Add(tx.changes)
		tx.changes = 0
	}
}

// forget drops the effects: borrowed bytes are not kept alive.
func (tx *Tx) forget() {
	if len(tx.effects) == 1 {
		tx.effects[0] = Effect{} // as clear, without a call
	} else {
		clear(tx.effects)
	}
	tx.effects = tx.effects[:0]
	if cap(tx.effects) > keptEffects {
		tx.effects = nil
	}
}

func (tx *Tx) unlock() {
	if p := tx.only; p != nil {
		p.mu.Unlock()
		return
	}
	tx.fp.each(func(p int) { tx.s.partitions[p].mu.Unlock() })
}

// Now returns the transaction's time in Unix nanoseconds.
func (tx *Tx) Now() int64 { return tx.now }

// NowMillis returns the transaction's time in Unix milliseconds.
func (tx *Tx) NowMillis() int64 { return floorMillis(tx.now) }

// DB returns the transaction's database.
func (tx *Tx) DB() int { return tx.db }

// Select changes the transaction's database. The locks hold for all of them.
func (tx *Tx) Select(db int) { tx.db = db }

// Changes returns the number of effects so far.
func (tx *Tx) Changes() int { return len(tx.effects) }

// Rand returns the next number of the transaction's own pseudo-random sequence
// (SplitMix64), which follows from the store's seed.
func (tx *Tx) Rand() uint64 {
	tx.rng += 0x9e3779b97f4a7c15
	z := tx.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (tx *Tx) partition(key []byte) *partition {
	if tx.only != nil {
		return tx.only
	}
	p := PartitionOf(Slot(key))
	if !tx.fp.has(p) {
		panic("store: key outside the transaction's footprint")
	}
	return &tx.s.partitions[p]
}

// tell returns an effect, to be filled in, of which the observers are told unless the transaction
// is silent.
func (tx *Tx) tell() *Effect {
	if tx.Silent {
		return &tx.untold
	}
	tx.effects = append(tx.effects, Effect{})
	return &tx.effects[len(tx.effects)-1]
}

func floorMillis(ns int64) int64 {
	ms := ns / 1e6
	if ns%1e6 < 0 {
		ms--
	}
	return ms
}
