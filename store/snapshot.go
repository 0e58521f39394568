package store

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrSnapshot says that a snapshot is under way already.
var ErrSnapshot = errors.New("store: a snapshot is under way")

// Snapshot is the whole keyspace as it was at one moment, while transactions go on. It
// costs them one comparison a write when there is none. While there is one, the heads of
// cells that change are kept for it. A segment is copied when a string or a sorted set of
// it changes for the first time, when its cells are laid out anew, or when it has changed
// very often; a set that changes, or a string that does in its middle, is copied besides
// (a large set only in part).
type Snapshot struct {
	s      *Store
	now    int64
	parts  [Partitions]frozen
	keys   []Count
	pages  sync.Pool
	waits  atomic.Int64 // bytes of pages that were copied ahead, and of pasts
	most   atomic.Int64 // the most that waits ever was
	closed bool
}

// Count is about how many keys a database has, and how many of them expire.
type Count struct{ Keys, Expires int }

// Image is a key as a snapshot saw it, or as an [Entry] is. What it points to must not be
// changed, and holds until the function that was given it returns.
type Image struct {
	DB       int
	Key      []byte
	Kind     Kind
	Int      int64      // of kind Int
	Bytes    []byte     // of kind Raw
	Sorted   *SortedSet // of kind Sorted
	ExpireAt int64      // Unix milliseconds, or NoExpiry
}

// Image returns the key as it is; it must exist.
func (e *Entry) Image() Image {
	im := Image{DB: e.db, Key: e.key, Kind: e.Kind(), ExpireAt: e.ExpireAt()}
	switch im.Kind {
	case Int:
		im.Int = e.Int()
	case Raw:
		im.Bytes = e.value().bytes
	case Sorted:
		im.Sorted = e.value().sorted
	}
	return im
}

// Snapshot begins a snapshot of the moment at which it calls at, if that is not nil: every
// partition is locked then, so each transaction is either wholly before or wholly after it.
// at must be quick and not touch the store. now, in Unix nanoseconds, says which keys are
// left out because their time is over.
//
// There can be one at a time: the error is [ErrSnapshot]. It must be closed.
func (s *Store) Snapshot(now int64, at func()) (*Snapshot, error) {
	if !s.freezing.CompareAndSwap(false, true) {
		return nil, ErrSnapshot
	}
	n := s.newSnapshot(now)
	n.freeze(at)
	return n, nil
}

// newSnapshot returns a snapshot that has not begun.
func (s *Store) newSnapshot(now int64) *Snapshot {
	n := &Snapshot{s: s, now: now, keys: make([]Count, s.databases)}
	n.pages.New = func() any { return &page{} }
	for db := range n.keys {
		n.keys[db] = Count{s.Len(db), s.Volatile(db)}
	}
	number := s.snapshots.Add(1)
	tables := make([]*table, Partitions*s.databases)
	for i := range n.parts {
		f := &n.parts[i]
		f.n, f.number, f.tables = n, number, tables[i*s.databases:][:s.databases]
		for db := range f.tables {
			f.tables[db] = &s.partitions[i].tables[db]
		}
	}
	return n
}

// freeze is the moment of the snapshot.
func (n *Snapshot) freeze(at func()) {
	partitions := &n.s.partitions
	for i := range partitions {
		partitions[i].mu.Lock()
		partitions[i].frozen = &n.parts[i]
	}
	defer func() {
		for i := range partitions {
			partitions[i].mu.Unlock()
		}
	}()
	if at != nil {
		at()
	}
}

// Counts returns what each database holds, about: at the moment of the snapshot it may
// have been some keys more or less.
func (n *Snapshot) Counts() []Count { return n.keys }

// Copied returns the bytes of copies that were made for transactions and wait to be seen,
// and the most that it ever was.
func (n *Snapshot) Copied() (now, most int64) { return n.waits.Load(), n.most.Load() }

// Each calls f for every key, one database after the other, until f returns an error,
// which it returns. It locks a partition at a time, and none while it calls f. Where
// processors are few others go first, every thousand keys at the latest. It can be called
// once.
func (n *Snapshot) Each(f func(*Image) error) error {
	for db := range n.s.databases {
		for i := range n.parts {
			w := walk{n: n, part: i, db: db}
			for p := w.next(); p != nil; p = w.next() {
				if err := p.each(n.now, db, f); err != nil {
					return err
				}
				p.release(n)
				runtime.Gosched()
			}
		}
	}
	return nil
}

// Close ends the snapshot, wherever it is. Each must have returned.
func (n *Snapshot) Close() {
	if n.closed {
		return
	}
	n.closed = true
	for i := range n.s.partitions {
		p := &n.s.partitions[i]
		p.mu.Lock()
		p.frozen = nil
		p.mu.Unlock()
		for _, t := range n.parts[i].adopted {
			t.free()
		}
	}
	n.s.freezing.Store(false)
}

// frozen is what a snapshot is still to see of a partition, whose lock guards it.
type frozen struct {
	n      *Snapshot
	number uint32
	tables []*table           // by database at the moment of the snapshot: where its segments are now
	ahead  []ahead            // pages that were copied before their turn
	pasts  map[*segment]*past // of segments that have changed but were not copied
	owned  map[*byte]struct{}

	adopted []*table // whose memory is given back at the end
}

// ahead is a page that waits for its turn.
type ahead struct {
	db   int // at the moment of the snapshot
	page *page
}

// preserve lets a snapshot that is under way see a segment that is about to be laid out anew, or whose values
// in the slab are about to change.
func (t *table) preserve(g *segment) {
	if f := t.part.frozen; f != nil && g.snapshot != f.number {
		f.preserve(t, g)
	}
}

func (f *frozen) preserve(t *table, g *segment) {
	for db, of := range f.tables {
		if of == t {
			p := f.take(t, g)
			p.ahead = true
			f.ahead = append(f.ahead, ahead{db, p})
			f.n.wait(p.bytes())
			return
		}
	}
	panic("store: a segment that no snapshot knows")
}

// take copies a segment, as it was, and marks it as seen.
func (f *frozen) take(t *table, g *segment) *page {
	p := f.n.pages.Get().(*page)
	p.copy(t, g, f.forget(g))
	g.snapshot = f.number
	return p
}

func (n *Snapshot) wait(bytes int64) {
	if now := n.waits.Add(bytes); now > n.most.Load() {
		n.most.Store(now)
	}
}

// adopt keeps the contents of a table that is about to be emptied.
func (f *frozen) adopt(t *table) {
	for db, of := range f.tables {
		if of == t {
			f.tables[db] = &table{dir: t.dir, depth: t.depth, values: t.values, part: t.part, blocks: t.blocks}
			f.adopted = append(f.adopted, f.tables[db])
			t.chart.Store(nil)
			t.dir = nil // whose memory is the snapshot's now
		}
	}
}

// swap notes that two tables are about to exchange their contents.
func (f *frozen) swap(a, b *table) {
	for db, of := range f.tables {
		switch of {
		case a:
			f.tables[db] = b
		case b:
			f.tables[db] = a
		}
	}
}

// ownBytes returns the bytes of the entry's string to be written over: copied, if a
// snapshot may have them.
func (e *Entry) ownBytes(b []byte) []byte {
	f := e.t.part.frozen
	if f == nil || cap(b) == 0 {
		return b
	}
	if _, own := f.owned[&b[:1][0]]; own {
		return b
	}
	own := append(make([]byte, 0, cap(b)), b...)
	if f.owned == nil {
		f.owned = map[*byte]struct{}{}
	}
	f.owned[&own[:1][0]] = struct{}{}
	return own
}

// ownSorted returns the entry's sorted set to be changed: a copy, if a snapshot may have it.
func (e *Entry) ownSorted(z *SortedSet) *SortedSet {
	f := e.t.part.frozen
	if f == nil || z.snapshot == f.number {
		return z
	}
	e.t.preserve(e.g)
	own := z.fork()
	own.snapshot = f.number
	e.value().sorted = own
	return own
}
