package store

import (
	"errors"
	"runtime"
	"slices"

	"cellserver/store/table"
)

// ErrSnapshot is the error of [Store.Snapshot] while another snapshot runs.
var ErrSnapshot = errors.New("store: another snapshot runs")

// Snapshot is the whole keyspace of one moment. Transactions continue while it runs. It is
// copy-on-write. If no snapshot runs, each write pays one comparison. While one runs, a write saves
// the head of its cell. Some writes copy their segment first: if a string or a collection changes,
// if cells move, or if the segment changed very often. A collection that changes, or a string that
// changes in its middle, is copied once (a large collection only in part).
type Snapshot struct {
	s      *Store
	now    int64
	number uint32
	parts  [Partitions]table.Frozen
	// keepers are those of the partitions at the beginning.
	keepers [Partitions]table.Keeper
	// databases are those with tables, at the moment of the snapshot.
	databases []int
	counts    []Count
	copies    table.Copies
	closed    bool
}

// Count is about how many keys a database has, and how many of them have an expiry.
type Count struct{ Keys, Expires int }

// Snapshot begins a snapshot. It locks every partition for a moment, and then calls `atMoment`, which may be
// nil. So each transaction is either wholly before or wholly after that moment. `atMoment` must be
// quick and must not use the store. The snapshot leaves out the keys that have expired at now
// (Unix nanoseconds).
//
// Only one snapshot runs at a time: otherwise the error is [ErrSnapshot]. Close it.
func (s *Store) Snapshot(now int64, atMoment func()) (*Snapshot, error) {
	if !s.freezing.CompareAndSwap(false, true) {
		return nil, ErrSnapshot
	}
	n := s.newSnapshot(now)
	n.freeze(atMoment)
	return n, nil
}

// newSnapshot returns a snapshot that has not begun.
func (s *Store) newSnapshot(now int64) *Snapshot {
	if s.following.Load() {
		now = 0
	}
	n := &Snapshot{s: s, now: now, counts: make([]Count, s.databases)}
	for db := range n.counts {
		n.counts[db] = Count{s.Len(db), s.Volatile(db)}
	}
	n.number = s.snapshots.Add(1)
	return n
}

// freeze begins the snapshot: its call is the moment of the snapshot.
func (n *Snapshot) freeze(atMoment func()) {
	partitions := &n.s.partitions
	var all Footprint
	all.AddAll()
	n.s.locks.waitFor(&all, 0)
	defer n.s.locks.unlock(&all)
	for i := range partitions {
		n.parts[i].Init(&n.copies, n.number, slices.Clone(partitions[i].tables))
		_, undo := partitions[i].kept()
		n.keepers[i] = table.Keeper{Snapshot: &n.parts[i], Undo: undo}
		partitions[i].keeper = &n.keepers[i]
	}
	n.databases = n.s.tables.used()
	if atMoment != nil {
		atMoment()
	}
}

// Counts returns about how many keys each database held at the moment of the snapshot.
func (n *Snapshot) Counts() []Count { return n.counts }

// Copied returns the bytes of the copies by transactions that the snapshot has not read yet, and
// the largest number so far.
func (n *Snapshot) Copied() (now, most int64) { return n.copies.Bytes() }

// Each calls f for every key, one database after the other, until f returns an error, and returns
// that error. It locks one partition at a time, and none while it calls f. After every segment,
// of a thousand keys at most, it lets other goroutines run. Call it once.
func (n *Snapshot) Each(f func(*Image) error) error {
	for _, db := range n.databases {
		for i := range n.parts {
			c := table.Cursor{DB: db}
			for s := n.next(i, &c); s != nil; s = n.next(i, &c) {
				if err := s.Each(n.now, db, f); err != nil {
					return err
				}
				s.Release(&n.copies)
				runtime.Gosched()
			}
		}
	}
	return nil
}

// next returns the next copy of a segment of one partition, nil after the last.
func (n *Snapshot) next(partition int, c *table.Cursor) *table.SegmentCopy {
	p := &n.s.partitions[partition]
	p.mu.Lock()
	defer p.mu.Unlock()
	return n.parts[partition].Next(c)
}

// Close ends the snapshot, also in its middle. Each must have returned.
func (n *Snapshot) Close() {
	if n.closed {
		return
	}
	n.closed = true
	for i := range n.s.partitions {
		p := &n.s.partitions[i]
		p.mu.Lock()
		_, undo := p.kept()
		p.keep(nil, undo)
		p.mu.Unlock()
		n.parts[i].Release()
	}
	n.s.freezing.Store(false)
}
