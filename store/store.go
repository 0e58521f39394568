package store

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"cellserver/store/memory"
	"cellserver/store/table"
	"cellserver/store/value"
)

// ErrExhausted is what a write panics with if the system gives no more memory. The write has
// changed nothing, and the transaction can end as usual.
var ErrExhausted = memory.ErrExhausted

// RecoverExhausted makes a panic with [ErrExhausted] the error of the function that defers it. Other panics go on.
func RecoverExhausted(err *error) {
	switch reason := recover(); reason {
	case nil:
	case ErrExhausted:
		*err = ErrExhausted
	default:
		panic(reason)
	}
}

// Own is the database of the server itself. It has no number that a client can name, and [Store.Databases]
// does not count it. Its keys are never evicted.
const Own = -1

// Options configure a [Store].
type Options struct {
	Databases int    // number of databases, at least 1
	Seed      uint64 // seeds sampling: RANDOMKEY, eviction, LFU
	// Refuse makes the memory for keys run out in tests: see [memory.Blocks.Refuse].
	Refuse func(bytes int) bool
}

// Store is the whole keyspace. Its methods are safe for concurrent use. A [Tx] reads and
// changes the keys.
type Store struct {
	partitions [Partitions]partition
	locks      locks // of the partitions; fixed
	tables     tables
	databases  int
	hooks
	sampling
	evictor   evictor
	snapshots atomic.Uint32 // how many were begun
	freezing  atomic.Bool   // one runs
	limits    atomic.Pointer[Limits]
	blocks    *memory.Blocks
	totals
}

// hooks are what others want to learn of the store, or to say to it. They are fixed before the first
// transaction.
type hooks struct {
	observers []Observer                             // undo.go adds one with all partitions locked
	removed   func(db int, key []byte, evicted bool) // nil for none
	mayEvict  func() bool                            // nil: always
	external  []func() int64
	keepsUndo bool        // changed with all partitions locked; undo.go
	following atomic.Bool // changed with all partitions locked: see KeepExpired
}

// sampling is how the store chooses keys at random, and how it counts their uses.
type sampling struct {
	seed      atomic.Uint64
	lfu       atomic.Bool
	lfuFactor atomic.Int64
	lfuDecay  atomic.Int64
}

// totals count what has happened to all keys.
type totals struct {
	changes atomic.Int64 // effects
	heap    atomic.Int64 // bytes of all tables in Go's heap
	expired atomic.Int64
	evicted atomic.Int64
	hits    atomic.Int64
	misses  atomic.Int64
}

// New returns an empty store.
func New(o Options) *Store {
	s := &Store{databases: max(o.Databases, 1), blocks: memory.NewBlocks()}
	s.seed.Store(o.Seed)
	s.blocks.Refuse(o.Refuse)
	s.SetLFU(10, 1)
	s.SetLimits(value.DefaultLimits)
	s.tables.init(s.databases, table.Shared{Seed: maphash.MakeSeed(), Blocks: s.blocks, Heap: &s.heap})
	for i := range s.partitions {
		s.partitions[i].index = uint8(i)
		s.locks[i] = &s.partitions[i].mu
	}
	return s
}

// KeepExpired makes expired keys stay, or ends that: another server says when they go. Transactions do not
// see them, unless they keep expired keys themselves. They are in snapshots. Only transactions that keep
// expired keys themselves may write meanwhile. KeepExpired waits until all transactions that run have ended.
func (s *Store) KeepExpired(on bool) {
	if s.KeepsExpired() == on {
		return
	}
	tx := s.NewTx()
	tx.BeginAll(0, 0)
	defer tx.End()
	s.following.Store(on)
}

// KeepsExpired reports whether expired keys stay.
func (s *Store) KeepsExpired() bool { return s.following.Load() }

// evictor holds what eviction remembers between calls; evict.go uses it.
type evictor struct {
	mu   sync.Mutex // guards everything below; taken before any partition's lock
	pool candidatePool
	tx   *Tx
	next int // partition from which to sample next
	// missed says that a long transaction had a partition with keys that could go.
	missed bool
}

// anyTable returns a table without keys, to hash a key before its partition is known.
func (s *Store) anyTable() *table.Table { return &s.tables.hasher }

// partitionOf returns the partition that holds a slot.
func (s *Store) partitionOf(slot uint16) *partition { return &s.partitions[PartitionOf(slot)] }

// OnRemoved sets a function that learns of each key that is expired or evicted, while its partition
// is locked. It must not call the store. Call OnRemoved before the first transaction.
func (s *Store) OnRemoved(removed func(db int, key []byte, evicted bool)) { s.removed = removed }

// FenceEvictions sets a function that says whether Evict may change keys. It is called while the
// partition of the key is locked, and must not call the store. Call FenceEvictions before the first
// transaction. [Store.Sweep] has no fence: no reader sees the expired keys that it removes.
func (s *Store) FenceEvictions(mayEvict func() bool) { s.mayEvict = mayEvict }

// Observe adds an observer of every change. Call it before the first transaction.
func (s *Store) Observe(o Observer) { s.observers = append(s.observers, o) }

// Databases returns the number of databases of clients, from 0 on.
func (s *Store) Databases() int { return s.databases }

// CountExternal makes [Store.Used] count bytes that others hold for the store's clients, such as
// changes that wait for the disk. The function must be quick and safe for concurrent use. Call
// CountExternal before the first transaction.
func (s *Store) CountExternal(bytes func() int64) { s.external = append(s.external, bytes) }

// Used returns the bytes that keys, values and tables take, and those of [Store.CountExternal].
// The spare room of allocations is not counted.
func (s *Store) Used() int64 {
	n := s.heap.Load() + s.blocks.Used()
	for _, bytes := range s.external {
		n += bytes()
	}
	return n
}

// UsedOfHeap returns the part of Used that lies in Go's heap. The rest is the store's own
// memory; [Store.Trim] gives it back.
func (s *Store) UsedOfHeap() int64 {
	if memory.OnHeap {
		return s.Used()
	}
	return s.Used() - s.blocks.Used()
}

// Trim gives some memory of removed keys back to the system. It takes less than a millisecond, and
// reports whether there is more to give. Call it regularly.
func (s *Store) Trim() bool { return s.blocks.Trim() }

// Len returns the number of keys in a database, as DBSIZE does: also the expired keys that are
// not yet removed. It takes no lock.
func (s *Store) Len(db int) int {
	return s.sum(db, (*table.Table).Len)
}

// Keys returns the number of keys in all databases of clients. It takes no lock.
func (s *Store) Keys() (n int) {
	for db := range s.databases {
		n += s.Len(db)
	}
	return n
}

// Volatile returns the number of keys of a database that have an expiry. It takes no lock.
func (s *Store) Volatile(db int) int {
	return s.sum(db, (*table.Table).Volatile)
}

// sum adds up a number of all tables of a database.
func (s *Store) sum(db int, number func(*table.Table) int64) (n int) {
	d := s.tables.place(db).Load()
	if d == nil {
		return 0
	}
	for i := range d.tables {
		if t := d.tables[i].Load(); t != nil {
			n += int(number(t))
		}
	}
	return n
}

// Changes returns the number of effects since the start. The effects of transactions with
// CountLater are missing until [Tx.CountChanges].
func (s *Store) Changes() int64 { return s.changes.Load() }

// Counters are totals since the start or the last [Store.ResetCounters].
type Counters struct {
	Expired, Evicted int64 // keys that were removed because they expired, or to make room
	Hits, Misses     int64 // reads that found their key, or did not
}

// Counters returns the store's counters.
func (s *Store) Counters() Counters {
	return Counters{s.expired.Load(), s.evicted.Load(), s.hits.Load(), s.misses.Load()}
}

// ResetCounters sets the counters to zero, for CONFIG RESETSTAT.
func (s *Store) ResetCounters() {
	for _, c := range []*atomic.Int64{&s.expired, &s.evicted, &s.hits, &s.misses} {
		c.Store(0)
	}
}
