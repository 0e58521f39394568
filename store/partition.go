package store

import (
	"cmp"
	"slices"
	"sync/atomic"

	"cellserver/store/table"
)

// partition is the part of the keyspace that one lock guards.
type partition struct {
	mu      lock             // guards everything below
	index   uint8            // of the partition; never changes
	tables  []table.Numbered // those that are made, by database; tables.go
	watches map[watchKey][]*Watcher
	keeper  *table.Keeper                // keeps what a snapshot or the undo log must still see; nil for neither
	_       [2*table.CacheLine - 72]byte // keeps neighbours off its cache lines
}

// keep makes a snapshot and an undo log see what the partition holds. Both may be nil.
func (p *partition) keep(snapshot *table.Frozen, undo *table.UndoLog) {
	if snapshot == nil && undo == nil {
		p.keeper = nil
		return
	}
	p.keeper = &table.Keeper{Snapshot: snapshot, Undo: undo}
}

// kept returns the running snapshot and the undo log, nil if there is none.
func (p *partition) kept() (snapshot *table.Frozen, undo *table.UndoLog) {
	if p.keeper == nil {
		return nil, nil
	}
	return p.keeper.Snapshot, p.keeper.Undo
}

// tableIndex returns the index of the table of a database in tables, also if it is to be made.
func (p *partition) tableIndex(db int) (i int, found bool) {
	return slices.BinarySearchFunc(p.tables, db, func(t table.Numbered, db int) int { return cmp.Compare(t.DB, db) })
}

// watchKey names a key that is watched.
type watchKey struct {
	db  int
	key string
}

// Watcher learns that a key it watches has changed, for WATCH. The zero value watches nothing.
// A Watcher belongs to one client; the store alone writes dirty.
type Watcher struct {
	keys       map[watchKey]struct{}
	partitions Footprint // of the keys
	bytes      int
	dirty      atomic.Bool
}

// markDirty marks the watchers of a key.
func (p *partition) markDirty(db int, key []byte) {
	if len(p.watches) == 0 {
		return
	}
	for _, w := range p.watches[watchKey{db, string(key)}] {
		w.dirty.Store(true)
	}
}

// markAllDirty marks the watchers of the database's keys for which exists returns true.
func (p *partition) markAllDirty(db int, exists func(key []byte) bool) {
	for k, ws := range p.watches {
		if k.db == db && exists([]byte(k.key)) {
			for _, w := range ws {
				w.dirty.Store(true)
			}
		}
	}
}
