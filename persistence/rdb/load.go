package rdb

import (
	"fmt"
	"io"

	"cellserver/store"
)

// LoadOptions are the options of [Load].
type LoadOptions struct {
	Options
	// Size is the number of bytes that can be read at most. The loader makes room at once for
	// the keys that the file announces, but for no more than fit in Size. 0: no room is made.
	Size int64
	Now  int64 // Unix nanoseconds: keys that expired before are left out
	// KeepExpired keeps expired keys: if a log follows the file, the log removes them.
	KeepExpired bool
	// Progress is called from time to time with the numbers of bytes and keys so far. It may be nil.
	Progress func(bytes, keys int64)
}

// Loaded is the result of [Load].
type Loaded struct {
	Bytes   int64          // of the file up to its end; more may follow
	Keys    int64          // keys that are in the store now
	Expired int64          // keys that were left out because they had expired
	Skipped map[string]int // as in [Reader.Skipped]
}

// loadBatch is the number of keys that one transaction on the whole store adds.
const loadBatch = 1024

// Load reads a whole file into a store and keeps what the store holds. Observers do not see the keys.
// Its error is an error of [Reader.Next], or says what is wrong with a key. After an error the caller
// must drop the store, because it has a part of the file.
func Load(in io.Reader, s *store.Store, o LoadOptions) (Loaded, error) {
	l := loader{in: NewReader(in, o.Options), store: s, now: o.Now, keepExpired: o.KeepExpired, tx: s.NewTx(), room: o.Size / minKeySize}
	l.tx.Silent = true
	defer l.dropRoom()
	var err error
	for err == nil {
		err = l.batch()
		if o.Progress != nil {
			o.Progress(l.in.Offset(), l.Keys+l.Expired)
		}
	}
	l.Bytes, l.Skipped = l.in.Offset(), l.in.Skipped()
	if err == io.EOF {
		err = nil
	}
	return l.Loaded, err
}

// Verify reads a whole file and stores nothing. Its error says where the file is damaged.
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
	in          *Reader
	store       *store.Store
	now         int64
	keepExpired bool
	tx          *store.Tx
	entry       store.Entry // of the key at hand: here, it costs no allocation
	room        int64       // the number of keys for which room may still be made
}

// minKeySize is the smallest size in bytes for which the loader believes that a file has a key. Few keys are
// smaller.
const minKeySize = 8

// makeRoom exists for speed alone.
//
// What it is: the store makes room at once for the keys that the file announces for a database, within the
// file's size.
//
// What it brings: growing to a million keys step by step takes a fifth longer. Let makeRoom return at once
// and compare
//
//	go test -run none -bench 'Load$' ./persistence/rdb
//
// What it must never do: change what is loaded, or take more memory than the size of the file explains.
func (l *loader) makeRoom(db int) {
	n := min(l.in.announced, uint64(l.room))
	l.in.announced = 0
	if n >= store.Partitions {
		l.room -= int64(n)
		l.tx.Select(db)
		l.tx.Reserve(int(n))
	}
}

// dropRoom gives the room back that no key used.
func (l *loader) dropRoom() {
	l.tx.BeginAll(l.now, 0)
	defer l.tx.End()
	l.tx.ReleaseReserved()
}

// batch loads the next keys.
func (l *loader) batch() error {
	l.tx.BeginAll(l.now, 0)
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

// put stores a key.
func (l *loader) put(rec *Record) error {
	if rec.DB >= l.store.Databases() {
		return fmt.Errorf("rdb: key %.64q is in database %d, but there are only %d databases: set "+
			"databases to %d or more",
			rec.Key, rec.DB, l.store.Databases(), rec.DB+1)
	}
	if l.in.announced > 0 {
		l.makeRoom(rec.DB)
	}
	if !l.keepExpired && rec.expired(l.now) {
		l.Expired++
		return nil
	}
	l.tx.Select(rec.DB)
	e := &l.entry
	*e = l.tx.Peek(rec.Key)
	if e.Exists() {
		return fmt.Errorf("rdb: database %d has key %.64q twice", rec.DB, rec.Key)
	}
	rec.Value.Put(e, rec.ExpireAt)
	e.SetAccess(rec.Idle, int64(rec.Freq))
	l.Keys++
	return nil
}

// expired reports whether the key has expired at now, in Unix nanoseconds.
func (r *Record) expired(now int64) bool {
	return r.ExpireAt != store.NoExpiry && r.ExpireAt < now/1e6
}
