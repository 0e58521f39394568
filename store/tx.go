package store

import (
	"cellserver/internal/pieces"
	"cellserver/store/table"
)

// Tx is one transaction: a locked part of the keyspace at one moment.
//
//	tx := s.NewTx()
//	tx.Begin(now, db, &footprint)
//	defer tx.End()
//	e := tx.Write(key)
//	e.SetInt(1, NoExpiry)
//
// It is not safe for concurrent use. The caller must call End, because the partitions stay locked
// until then. An [Entry] is valid until End. After End the Tx may begin another transaction.
//
// End keeps all changes. So a command checks everything before its first change.
//
// A key outside a footprint of several partitions is a fault of the command's key positions:
// reading or writing it panics. A footprint of a single partition is not checked, because the
// check costs as much as finding the key.
type Tx struct {
	modes

	// Draft is what the code that changes [Own] makes of its changes, until End or [Tx.Rollback].
	Draft any

	// Since is when the transaction begins if it is to be long and to run a script, otherwise 0. See
	// [Tx.TryBeginLong].
	Since int64

	s *Store
	scope
	rng    uint64
	hashes keyHashes // hashes of keys that are known already; keyhashes.go
	gathered
	walk walk
	undo txUndo
}

// modes are what the owner of a transaction sets between its transactions.
type modes struct {
	// By is the client whose command runs; nil for none. The observers know its type.
	By any
	// NoTouch: reads and writes do not count as uses of their keys (CLIENT NO-TOUCH).
	NoTouch bool
	// KeepExpired: expired keys stay. A replayed log deletes them itself.
	KeepExpired bool
	// CountLater: End does not count the changes ([Store.Changes]); [Tx.CountChanges] counts
	// them for many transactions at once. All processors share that counter, and adding to it
	// costs more than the rest of End.
	CountLater bool
	// Silent: the observers learn nothing, because loading from disk is not a change.
	Silent bool
	// Applied: the changes are known to the log from which they come, or they undo changes. A log
	// must not record them. The observers learn of them. [Store.KeepUndo] keeps nothing of them.
	Applied bool
}

// scope is what a transaction may reach, and its moment.
type scope struct {
	fp     Footprint
	only   *partition // the footprint's partition if there is just one
	now    int64      // Unix nanoseconds
	db     int
	active bool
}

// gathered is what a transaction has changed.
type gathered struct {
	effects  []Effect
	discard  Effect   // where a silent transaction writes its effects
	changes  int64    // not counted yet
	operands Operands // of the change at hand
	weighed  int      // how many effects are in weight
	weight   int64    // see EffectBytes
	made     []made   // tables; tables.go
}

// txUndo is how a transaction takes its changes back; undo.go uses it.
type txUndo struct {
	list  UndoList // gathered from the partitions
	taken bool
	keeps bool     // KeepUndo was called
	from  int      // how many effects there were then
	own   *ownUndo // kept for the next transaction; nil before the first KeepUndo
}

// walk is the scratch memory of a transaction that walks over keys; scan.go uses it.
type walk struct {
	entry   Entry // the caller sees it; one for all keys, so a walk allocates none
	found   []table.Found
	expired [][]byte // keys to remove at the end
}

// Observer learns of every transaction that changed something, while its locks are held. So
// effects on one key arrive in the order in which they happened. An Observer must not call the
// store, except for [Tx.Left]. It handles its own errors.
type Observer interface {
	Committed(tx *Tx, effects []Effect)
}

// keptEffects is for how many effects a transaction keeps room after its end.
const keptEffects = 1024

// NewTx returns a transaction to begin.
func (s *Store) NewTx() *Tx {
	return &Tx{s: s, rng: s.seed.Add(0x9e3779b97f4a7c15)}
}

// Begin locks the footprint's partitions, in ascending order, for a transaction at now (Unix
// nanoseconds) in database db.
func (tx *Tx) Begin(now int64, db int, fp *Footprint) {
	tx.s.locks.waitFor(fp, 0)
	if i, ok := fp.single(); ok {
		tx.beginOne(now, db, fp, &tx.s.partitions[i])
		return
	}
	tx.begin(now, db, fp)
}

// BeginAll is Begin on every partition.
func (tx *Tx) BeginAll(now int64, db int) {
	var all Footprint
	all.AddAll()
	tx.Begin(now, db, &all)
}

// TryBegin is Begin, but does not wait for a long transaction ([Tx.BeginLong]). It reports whether
// the transaction has begun.
func (tx *Tx) TryBegin(now int64, db int, fp *Footprint) bool {
	if i, ok := fp.single(); ok { // the keys of most commands on several keys have one hash tag
		p := &tx.s.partitions[i]
		if !p.mu.TryLock() && !p.mu.try() { // the compiler inlines TryLock, but not try
			return false
		}
		tx.beginOne(now, db, fp, p)
		return true
	}
	if tx.s.locks.try(fp, 0) != nil {
		return false
	}
	tx.begin(now, db, fp)
	return true
}

// beginOne begins a transaction whose one partition is locked.
func (tx *Tx) beginOne(now int64, db int, fp *Footprint, p *partition) {
	tx.hashes.clear()
	tx.fp, tx.weighed, tx.weight = *fp, 0, 0
	tx.beginOn(now, db, p)
}

// begin begins a transaction whose partitions are locked.
func (tx *Tx) begin(now int64, db int, fp *Footprint) {
	tx.fp, tx.now, tx.db, tx.only, tx.active = *fp, now, db, nil, true
	tx.hashes.clear()
	tx.weighed, tx.weight = 0, 0
}

// BeginKey is Begin with the footprint of a single key.
func (tx *Tx) BeginKey(now int64, db int, key []byte) {
	p := tx.s.partitionOf(tx.hashes.slotOf(tx.s.anyTable(), key))
	p.mu.wait()
	tx.beginOn(now, db, p)
}

// TryBeginKey is BeginKey, but does not wait for a long transaction. It reports whether the
// transaction has begun.
func (tx *Tx) TryBeginKey(now int64, db int, key []byte) bool {
	p := tx.s.partitionOf(tx.hashes.slotOf(tx.s.anyTable(), key))
	if !p.mu.TryLock() && !p.mu.try() { // the compiler inlines TryLock, but not try
		return false
	}
	tx.beginOn(now, db, p)
	return true
}

// beginOn begins a transaction on one locked partition.
func (tx *Tx) beginOn(now int64, db int, p *partition) {
	tx.now, tx.db, tx.only, tx.active = now, db, p, true
}

// End hands the effects to the observers and then unlocks, even if an observer panics. A second
// End does nothing, so it can be deferred.
func (tx *Tx) End() {
	switch {
	case !tx.active:
	case len(tx.effects) == 0:
		tx.active, tx.Draft = false, nil
		if len(tx.made) > 0 {
			tx.dropMade()
		}
		tx.unlock()
	default:
		tx.commit()
	}
}

// commit is End for a transaction with effects.
func (tx *Tx) commit() {
	tx.active = false
	// Unlock even if an observer panics.
	defer tx.finish()

	tx.changes += int64(len(tx.effects))
	if !tx.CountLater {
		tx.CountChanges()
	}

	// The partitions are still locked, so the order of the effects is the order of the changes.
	for _, o := range tx.s.observers {
		o.Committed(tx, tx.effects)
	}
}

func (tx *Tx) finish() {
	tx.dropEffects()
	tx.Draft = nil
	if len(tx.made) > 0 {
		tx.dropMade()
	}
	tx.unlock()
}

// HasUncounted reports whether there are changes that CountChanges would count.
func (tx *Tx) HasUncounted() bool { return tx.changes > 0 }

// CountChanges adds the changes since its last call to [Store.Changes]. It reports whether there were any.
func (tx *Tx) CountChanges() bool {
	if tx.changes == 0 {
		return false
	}
	tx.s.changes.Add(tx.changes)
	tx.changes = 0
	return true
}

// dropEffects drops the effects, which would keep borrowed bytes alive, and leaves zeros for newEffect.
func (tx *Tx) dropEffects() {
	for i := range tx.effects {
		f := &tx.effects[i]
		*f = Effect{} // for the few effects of most transactions, this is faster than clear
	}
	tx.effects = tx.effects[:0]
	if cap(tx.effects) > keptEffects {
		tx.effects = nil
	}
}

func (tx *Tx) unlock() {
	if tx.undo.keeps {
		tx.undo.own.end()
	}
	if p := tx.only; p != nil {
		p.mu.Unlock()
		return
	}
	tx.s.locks.unlock(&tx.fp)
}

// Now returns the transaction's time in Unix nanoseconds.
func (tx *Tx) Now() int64 { return tx.now }

// NowMillis returns the transaction's time in Unix milliseconds.
func (tx *Tx) NowMillis() int64 { return table.FloorMillis(tx.now) }

// DB returns the transaction's database.
func (tx *Tx) DB() int { return tx.db }

// Select changes the transaction's database. The locks hold for all databases.
func (tx *Tx) Select(db int) { tx.db = db }

// Changes returns the number of effects so far.
func (tx *Tx) Changes() int { return len(tx.effects) }

// Effects returns the effects from number n on. They are valid until End.
func (tx *Tx) Effects(n int) []Effect { return tx.effects[n:] }

// Rand returns the next number of the transaction's own pseudo-random sequence (SplitMix64),
// which follows from the store's seed.
func (tx *Tx) Rand() uint64 {
	tx.rng += 0x9e3779b97f4a7c15
	z := tx.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// partition returns the partition of a key.
func (tx *Tx) partition(key []byte) *partition {
	if p := tx.only; p != nil {
		return p
	}
	return tx.partitionOfSeveral(key)
}

// partitionOfSeveral is partition for a footprint of several. It has its own function so that the compiler
// inlines partition.
func (tx *Tx) partitionOfSeveral(key []byte) *partition {
	return tx.partitionOfSlot(Slot(key))
}

// partitionOfSlot returns the partition of a slot, for a footprint of several.
func (tx *Tx) partitionOfSlot(slot uint16) *partition {
	p := PartitionOf(slot)
	if !tx.fp.has(p) {
		panic("store: key outside the transaction's footprint")
	}
	return &tx.s.partitions[p]
}

// silentEffect is newEffect for a silent transaction. Its changes cannot be undone. It is not inlined,
// so that newEffect stays small enough to be inlined.
//
//go:noinline
func (tx *Tx) silentEffect() *Effect {
	if tx.s.keepsUndo || tx.undo.keeps {
		tx.eachUndoLog((*table.UndoLog).Reset)
	}
	return &tx.discard
}

// eachUndoLog calls f for the undo log of each partition of the footprint.
func (tx *Tx) eachUndoLog(f func(*table.UndoLog)) {
	tx.eachPartition(func(p *partition) { f(p.keeper.Undo) })
}

// eachPartition calls f for each partition of the footprint.
func (tx *Tx) eachPartition(f func(*partition)) {
	if tx.only != nil {
		f(tx.only)
		return
	}
	tx.fp.each(func(p int) { f(&tx.s.partitions[p]) })
}

// newEffect returns an effect for the caller to fill in. The observers get it, unless the
// transaction is silent.
func (tx *Tx) newEffect() *Effect {
	if tx.Silent {
		return tx.silentEffect()
	}
	n := len(tx.effects)
	if n == cap(tx.effects) {
		tx.effects = pieces.Grow(tx.effects, 1)
	}
	tx.effects = tx.effects[:n+1] // zero, because dropEffects has cleared it
	return &tx.effects[n]
}
