package store

import (
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"
)

// Options configure a [Store].
type Options struct {
	Databases int    // number of databases, at least 1
	Seed      uint64 // seeds sampling (RANDOMKEY, eviction, LFU); the edge's randomness
	// Pinned reports whether a key of a database is never evicted. Nil for none.
	Pinned func(db int, key []byte) bool
}

// Store is the whole keyspace. Its methods are safe for concurrent use; the keys
// themselves are reached through a [Tx].
type Store struct {
	partitions [Partitions]partition
	charts     []atomic.Pointer[chart] // by database, then partition: close together
	databases  int
	observers  []Observer                    // fixed before the first transaction
	pinned     func(db int, key []byte) bool // nil for none
	seed       atomic.Uint64
	lfu        atomic.Bool
	lfuFactor  atomic.Int64
	lfuDecay   atomic.Int64
	evictor    evictor
	snapshots  atomic.Uint32 // how many were begun
	freezing   atomic.Bool   // one is under way
	compact    atomic.Pointer[compactLimits]
	blocks     *blocks

	changes atomic.Int64 // effects
	used    atomic.Int64 // bytes of all tables, without their cells
	expired atomic.Int64
	evicted atomic.Int64
	hits    atomic.Int64
	misses  atomic.Int64
}

// partition is the part of the keyspace that one lock guards.
type partition struct {
	mu      sync.Mutex // guards everything below
	tables  []table    // by database
	watches map[watchKey][]*Watcher
	frozen  *frozen                // what a snapshot is still to see of it; nil when none is under way
	_       [2*cacheLine - 48]byte // keeps neighbours off its lines
}

// New returns an empty store.
func New(o Options) *Store {
	s := &Store{databases: max(o.Databases, 1), blocks: newBlocks(), pinned: o.Pinned}
	s.seed.Store(o.Seed)
	s.SetLFU(10, 1)
	s.SetCompactLimits(128, 64)
	s.charts = make([]atomic.Pointer[chart], s.databases*Partitions)
	seed := maphash.MakeSeed()
	for i := range s.partitions {
		s.partitions[i].tables = make([]table, s.databases)
		for d := range s.partitions[i].tables {
			t := &s.partitions[i].tables[d]
			t.seed, t.mask, t.mem, t.blocks, t.part = seed, math.MaxUint64, &s.used, s.blocks, &s.partitions[i]
			t.chart = &s.charts[d*Partitions+i]
		}
	}
	return s
}

// partitionOf returns the partition that holds a slot.
func (s *Store) partitionOf(slot uint16) *partition { return &s.partitions[PartitionOf(slot)] }

// Observe adds an observer of every change. Call it before the first transaction.
func (s *Store) Observe(o Observer) { s.observers = append(s.observers, o) }

// Databases returns the number of databases.
func (s *Store) Databases() int { return s.databases }

// Used returns the bytes that keys and values take, their tables included. Room that
// an allocation has to spare is not counted.
func (s *Store) Used() int64 { return s.used.Load() + s.blocks.used.Load() }

// UsedOfHeap returns those of the bytes that Used counts which lie in Go's heap. The
// others are the store's own, and are given back by [Store.Trim].
func (s *Store) UsedOfHeap() int64 {
	if blocksOnHeap {
		return s.Used()
	}
	return s.used.Load()
}

// Trim gives some of the memory that cells have left back to the system, in less than a
// millisecond, and reports whether there is more to give. Call it now and then.
func (s *Store) Trim() bool { return s.blocks.trim() }

// Len returns the number of keys in a database, those expired but not yet removed
// included, as DBSIZE does. It takes no lock.
func (s *Store) Len(db int) int {
	n := int64(0)
	for i := range s.partitions {
		n += s.partitions[i].tables[db].count.Load()
	}
	return int(n)
}

// UseLFU chooses what the 24 bits of access history per key mean: an LFU counter, or
// the time of the last access.
func (s *Store) UseLFU(on bool) { s.lfu.Store(on) }

// Changes returns how many effects there have been since the start, but for those of batches that
// are under way.
func (s *Store) Changes() int64 { return s.changes.Load() }

// Counters are totals since the start or the last [Store.ResetCounters].
type Counters struct {
	Expired, Evicted int64 // keys removed because their time was over, or for room
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
