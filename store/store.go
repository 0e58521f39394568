package store

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"cellserver/store/memory"
	"cellserver/store/sortedset"
	"cellserver/store/table"
)

// Options configure a [Store].
type Options struct {
	Databases int    // number of databases, at least 1
	Seed      uint64 // seeds sampling: RANDOMKEY, eviction, LFU
	// Pinned reports whether a key of a database is never evicted. Nil for none.
	Pinned func(db int, key []byte) bool
}

// Store is the whole keyspace. Its methods are safe for concurrent use. A [Tx] reads and
// changes the keys.
type Store struct {
	partitions [Partitions]partition
	segmaps    []atomic.Pointer[table.SegmentMap] // by database, then partition; see prefetch.go
	databases  int
	observers  []Observer                             // fixed before the first transaction
	removed    func(db int, key []byte, evicted bool) // nil for none; fixed before the first transaction
	pinned     func(db int, key []byte) bool          // nil for none
	seed       atomic.Uint64
	lfu        atomic.Bool
	lfuFactor  atomic.Int64
	lfuDecay   atomic.Int64
	evictor    evictor
	snapshots  atomic.Uint32 // how many were begun
	freezing   atomic.Bool   // one runs
	setLimits  atomic.Pointer[sortedset.Limits]
	blocks     *memory.Blocks

	changes atomic.Int64 // effects
	heap    atomic.Int64 // bytes of all tables in Go's heap
	expired atomic.Int64
	evicted atomic.Int64
	hits    atomic.Int64
	misses  atomic.Int64
}

// New returns an empty store.
func New(o Options) *Store {
	s := &Store{databases: max(o.Databases, 1), blocks: memory.NewBlocks(), pinned: o.Pinned}
	s.seed.Store(o.Seed)
	s.SetLFU(10, 1)
	s.SetCompactLimits(128, 64)
	s.segmaps = make([]atomic.Pointer[table.SegmentMap], s.databases*Partitions)
	shared := table.Shared{Seed: maphash.MakeSeed(), Blocks: s.blocks, Heap: &s.heap}
	for i := range s.partitions {
		p := &s.partitions[i]
		p.tables = make([]table.Table, s.databases)
		for db := range p.tables {
			p.tables[db].Init(&shared, &p.frozen, &s.segmaps[db*Partitions+i])
		}
	}
	return s
}

// evictor holds what eviction remembers between calls; evict.go uses it.
type evictor struct {
	mu   sync.Mutex // guards everything below; taken before any partition's lock
	pool candidates
	tx   *Tx
	next int // partition from which to sample next
}

// anyTable returns a table, to hash a key before its partition is known.
func (s *Store) anyTable() *table.Table { return &s.partitions[0].tables[0] }

// partitionOf returns the partition that holds a slot.
func (s *Store) partitionOf(slot uint16) *partition { return &s.partitions[PartitionOf(slot)] }

// OnRemoved sets a function that learns of each key that is expired or evicted, while its partition
// is locked. It must not call the store. Call OnRemoved before the first transaction.
func (s *Store) OnRemoved(removed func(db int, key []byte, evicted bool)) { s.removed = removed }

// Observe adds an observer of every change. Call it before the first transaction.
func (s *Store) Observe(o Observer) { s.observers = append(s.observers, o) }

// Databases returns the number of databases.
func (s *Store) Databases() int { return s.databases }

// Used returns the bytes that keys, values and tables take. The spare room of allocations is
// not counted.
func (s *Store) Used() int64 { return s.heap.Load() + s.blocks.Used() }

// UsedOfHeap returns the part of Used that lies in Go's heap. The rest is the store's own
// memory; [Store.Trim] gives it back.
func (s *Store) UsedOfHeap() int64 {
	if memory.OnHeap {
		return s.Used()
	}
	return s.heap.Load()
}

// Trim gives some of the memory that removed keys have left back to the system. It takes less
// than a millisecond, and reports whether there is more to give. Call it regularly.
func (s *Store) Trim() bool { return s.blocks.Trim() }

// Len returns the number of keys in a database, as DBSIZE does: also the expired keys that are
// not yet removed. It takes no lock.
func (s *Store) Len(db int) int {
	n := int64(0)
	for i := range s.partitions {
		n += s.partitions[i].tables[db].Len()
	}
	return int(n)
}

// Volatile returns the number of keys of a database that have an expiry. It takes no lock.
func (s *Store) Volatile(db int) int {
	n := int64(0)
	for i := range s.partitions {
		n += s.partitions[i].tables[db].Volatile()
	}
	return int(n)
}

// Changes returns the number of effects since the start. Transactions with CountLater are
// missing until [Tx.CountChanges].
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
