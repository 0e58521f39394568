package persistence

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"cellserver/persistence/rdb"
	"cellserver/store"
)

// A rival is a snapshot that is not loaded. It is a back-up if it is older than what is loaded. A newer one
// must hold the same keys, such as the snapshot of a stop beside a log. Otherwise the start must not choose
// one of them.

// checkRivals returns an error if a snapshot that was not loaded is newer than what was loaded, and has other
// keys. loaded is the path of what was loaded, and at is when it was last written, in Unix nanoseconds.
func (l *loader) checkRivals(ctx context.Context, snapshots []string, loaded string, at int64) error {
	for _, path := range snapshots {
		if path == loaded {
			continue
		}
		newer, err := l.isNewer(path, at)
		if err != nil {
			return err
		}
		if !newer {
			l.log.Info("a snapshot was not loaded, because it is older than what was loaded",
				"snapshot", path, "loaded", loaded)
			continue
		}
		same, err := l.sameKeys(ctx, path)
		if err != nil {
			return err
		}
		if !same {
			return &ErrIgnored{[]string{path}, fmt.Sprintf("it is newer than %s, and they hold "+
				"different keys: move the one away that you do not want, or add .old to its name", loaded)}
		}
	}
	return nil
}

// isNewer reports whether a snapshot was taken after a time. The file says in which second it was taken: a
// copy of an old snapshot is a new file, but no newer snapshot.
func (l *loader) isNewer(path string, at int64) (bool, error) {
	f, err := l.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return false, access(err)
	}
	defer f.Close()
	modified, err := f.Modified()
	if err != nil || modified <= at {
		return false, err
	}
	taken := modified / 1e9
	// If the file is damaged, sameKeys finds that.
	_, _ = rdb.NewReader(f, rdb.Options{Aux: func(name, value string) {
		if n, err := strconv.ParseInt(value, 10, 64); name == "ctime" && err == nil {
			taken = n
		}
	}}).Next()
	return taken > at/1e9, nil // in the same second the log has what came after the snapshot
}

// sameKeys reports whether a snapshot has the keys of the store, with their values and expiries. Expired keys
// do not count.
func (l *loader) sameKeys(ctx context.Context, path string) (same bool, err error) {
	f, err := l.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return false, access(err)
	}
	defer f.Close()
	c := comparison{tx: l.lockAll(), scratch: store.New(store.Options{}).NewTx(), now: l.clock.Now()}
	defer c.tx.End()
	c.scratch.BeginAll(c.now, 0)
	defer c.scratch.End()
	c.tx.KeepExpired, c.scratch.KeepExpired = true, true
	left, ownLeft, hasOwn := c.live(0, l.store.Databases()), c.live(store.Own, 0), false
	in := rdb.NewReader(cancelReader{ctx, f}, rdb.Options{SkipUnsupported: l.settings.Load().SkipUnsupported})
	for {
		rec, err := in.Next()
		switch {
		case err == io.EOF:
			return left == 0 && (ownLeft == 0 || !hasOwn), nil // a Redis keeps nothing of the server's own
		case err != nil:
			return false, l.refuse(path, err)
		case expired(rec.ExpireAt, c.now):
			continue
		case rec.DB >= l.store.Databases() || !c.has(rec):
			return false, nil
		}
		if rec.DB == store.Own {
			ownLeft, hasOwn = ownLeft-1, true
		} else {
			left--
		}
	}
}

// comparison compares keys of a snapshot with those of a store.
type comparison struct {
	tx      *store.Tx
	scratch *store.Tx // of a store that has the key at hand only
	now     int64     // Unix nanoseconds
}

// live returns the number of keys in the databases first … end-1 that have not expired.
func (c *comparison) live(first, end int) (n int) {
	for db := first; db < end; db++ {
		c.tx.Select(db)
		c.tx.Each(func(e *store.Entry) {
			if !expired(e.ExpireAt(), c.now) {
				n++
			}
		})
	}
	return n
}

// has reports whether the store has a key of a snapshot, with the same value and expiry.
func (c *comparison) has(rec *rdb.Record) bool {
	c.tx.Select(rec.DB)
	mine, theirs := c.tx.Peek(rec.Key), c.scratch.Write(rec.Key)
	rec.Value.Put(&theirs, rec.ExpireAt)
	defer theirs.Delete()
	if !mine.Exists() || mine.ExpireAt() != theirs.ExpireAt() {
		return false
	}
	a, b := mine.Image(), theirs.Image()
	if a.Collection == nil && b.Collection == nil { // two forms of the same string are equal
		return bytes.Equal(mine.Bytes(nil), theirs.Bytes(nil))
	}
	return a.Kind == b.Kind && slices.Equal(members(&a), members(&b))
}

func expired(at, now int64) bool { return at != store.NoExpiry && at < now/1e6 }

// members returns the members of a collection. Their order does not matter, except in a list.
func members(im *store.Image) (all []string) {
	if im.Collection == nil {
		return nil
	}
	store.TypeOf(im.Kind).Each(im.Collection, func(o *store.Operands) bool {
		all = append(all, fmt.Sprintf("%q %q %x", o.Value, o.More, o.Score+0)) // -0 is 0
		return true
	})
	if im.Kind != store.List {
		slices.Sort(all)
	}
	return all
}
