package rdb

import (
	"fmt"
	"io"
	"sync/atomic"

	"cellserver/store"
)

// Fact is something to be known about a file, beside its keys ([Writer.Aux]).
type Fact struct{ Name, Value string }

// SaveOptions say how a file is written.
type SaveOptions struct {
	Facts      []Fact
	NoChecksum bool          // rdbchecksum no
	Keys       *atomic.Int64 // counts the keys as they are written; nil: nobody looks
}

// Save writes a whole file: everything that a snapshot sees, which it ends. An error is
// that of out, which is also how to stop it midway.
func Save(out io.Writer, n *store.Snapshot, o SaveOptions) error {
	defer n.Close()
	w := NewWriter(out)
	w.NoChecksum = o.NoChecksum
	for _, f := range o.Facts {
		w.Aux(f.Name, f.Value)
	}
	db := -1
	err := n.Each(func(im *store.Image) error {
		if im.DB != db {
			db = im.DB
			w.Select(db, n.Counts()[db].Keys, n.Counts()[db].Expires)
		}
		if o.Keys != nil {
			o.Keys.Add(1)
		}
		return w.Key(im)
	})
	if err != nil {
		return err
	}
	return w.Finish()
}

// LoadOptions say how a file is read into a store.
type LoadOptions struct {
	Options
	// Size is how many bytes there are to read at most: what the file says of its keys is believed
	// within it, and room is made for them at once. 0: nothing is believed.
	Size int64
	Now  int64 // Unix nanoseconds: keys whose time is over then are left out
	// KeepExpired leaves none out: a log that goes on from the file says what becomes of them.
	KeepExpired bool
	// Progress is told now and then how many bytes and keys were read so far. Nil: nobody looks.
	Progress func(bytes, keys int64)
}

// Loaded is what a file had.
type Loaded struct {
	Version int
	Bytes   int64          // of the file up to its end, after which more may follow
	Keys    int64          // that are in the store now
	Expired int64          // that were left out, because their time is over
	Skipped map[string]int // as [Reader.Skipped] has it
}

// loadBatch is how many keys are put into the store under one lock of everything.
const loadBatch = 1024

// Load reads a whole file into a store, beside what it holds. No observer is told of it.
// After an error, which is one of [Reader.Next]'s or says what is wrong with a key, the
// store must be thrown away: it has a part of the file.
func Load(in io.Reader, s *store.Store, o LoadOptions) (Loaded, error) {
	l := loader{in: NewReader(in, o.Options), store: s, now: o.Now, keep: o.KeepExpired, tx: s.NewTx(), room: o.Size / leastKey}
	l.tx.Silent = true
	defer l.settle()
	var err error
	for err == nil {
		err = l.batch()
		if o.Progress != nil {
			o.Progress(l.in.Offset(), l.Keys+l.Expired)
		}
	}
	l.Version, l.Bytes, l.Skipped = l.in.Version(), l.in.Offset(), l.in.Skipped()
	if err == io.EOF {
		err = nil
	}
	return l.Loaded, err
}

// Verify reads a whole file and keeps nothing of it. Its error says where it is damaged.
func Verify(in io.Reader) error {
	r := NewReader(in, Options{SkipUnsupported: true})
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

type loader struct {
	Loaded
	in    *Reader
	store *store.Store
	now   int64
	keep  bool // of keys whose time is over
	tx    *store.Tx
	room  int64 // for how many keys it may still be made
}

// leastKey is how many bytes of a file vouch for a key: hardly any takes less.
const leastKey = 8

// expect makes room for as many keys of a database as the file says, if it can have them.
func (l *loader) expect(db int) {
	n := min(l.in.announced, uint64(l.room))
	l.in.announced = 0
	if n >= store.Partitions {
		l.room -= int64(n)
		l.tx.Select(db)
		l.tx.Reserve(int(n))
	}
}

// settle gives up the room that was made for keys which did not come.
func (l *loader) settle() {
	l.begin()
	defer l.tx.End()
	l.tx.ReleaseReserved()
}

// begin locks everything.
func (l *loader) begin() {
	var everything store.Footprint
	everything.AddAll()
	l.tx.Begin(l.now, 0, &everything)
}

// batch loads the next keys.
func (l *loader) batch() error {
	l.begin()
	defer l.tx.End()
	for range loadBatch {
		rec, err := l.in.Next()
		if err != nil {
			return err
		}
		if err := l.put(rec); err != nil {
			return err
		}
	}
	return nil
}

// put puts a key into the store.
func (l *loader) put(rec *Record) error {
	if rec.DB >= l.store.Databases() {
		return fmt.Errorf("rdb: key %.64q is in database %d, and there are only %d: set databases to at least %d",
			rec.Key, rec.DB, l.store.Databases(), rec.DB+1)
	}
	if l.in.announced > 0 {
		l.expect(rec.DB)
	}
	if !l.keep && rec.over(l.now) {
		l.Expired++
		return nil
	}
	l.tx.Select(rec.DB)
	e := l.tx.Peek(rec.Key)
	if e.Exists() {
		return fmt.Errorf("rdb: database %d has key %.64q twice", rec.DB, rec.Key)
	}
	rec.Value.Put(&e, rec.ExpireAt)
	if rec.Idle >= 0 || rec.Freq >= 0 {
		e.SetAccess(max(rec.Idle, 0), uint8(max(rec.Freq, 0)))
	}
	l.Keys++
	return nil
}

// over reports whether the key's time is over.
func (r *Record) over(now int64) bool {
	return r.ExpireAt != store.NoExpiry && r.ExpireAt < now/1e6
}
