package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWatcherBytes(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	tx.BeginAll(testNow, 0)
	defer tx.End()
	var w Watcher
	for range 2 { // a second time costs nothing
		for i := range 100 {
			tx.Watch(&w, fmt.Appendf(nil, "%010d", i))
		}
		require.Equal(t, 100*(10+watchBytes), w.Bytes())
	}
	tx.Unwatch(&w)
	require.Zero(t, w.Bytes())
	require.False(t, w.Watching())
}

// TestWatch has the changes that make EXEC fail in Redis 7, and those that do not.
func TestWatch(t *testing.T) {
	soon := testNow/1e6 + 10
	int1 := func(tx *Tx, key string, at int64) {
		e := tx.Write([]byte(key))
		e.SetInt(1, at)
	}
	for _, c := range []struct {
		name         string
		before, then func(tx *Tx)
		later        int64 // ms
		dirty        bool
	}{
		{name: "nothing"},
		{name: "a write", then: func(tx *Tx) { int1(tx, "k", NoExpiry) }, dirty: true},
		{name: "the same value again", before: func(tx *Tx) { int1(tx, "k", NoExpiry) },
			then: func(tx *Tx) { int1(tx, "k", NoExpiry) }, dirty: true},
		{name: "a write elsewhere", then: func(tx *Tx) { int1(tx, "other", NoExpiry) }},
		{name: "a write in another database", then: func(tx *Tx) { tx.Select(1); int1(tx, "k", NoExpiry) }},
		{name: "a delete of nothing", then: func(tx *Tx) { e := tx.Write([]byte("k")); e.Delete() }},
		{name: "an expiry changed", before: func(tx *Tx) { int1(tx, "k", NoExpiry) },
			then: func(tx *Tx) { e := tx.Write([]byte("k")); e.SetExpiry(soon) }, dirty: true},
		{name: "the key expires", before: func(tx *Tx) { int1(tx, "k", soon) }, later: 11, dirty: true},
		{name: "the key expires and is read", before: func(tx *Tx) { int1(tx, "k", soon) },
			then: func(tx *Tx) { tx.Peek([]byte("k")) }, later: 11, dirty: true},
		{name: "its last millisecond", before: func(tx *Tx) { int1(tx, "k", soon) }, later: 10},
		{name: "expired when watched", before: func(tx *Tx) { int1(tx, "k", testNow/1e6-1) },
			then: func(tx *Tx) { tx.Peek([]byte("k")) }},
		{name: "expired when watched, then flushed", before: func(tx *Tx) { int1(tx, "k", testNow/1e6-1) },
			then: func(tx *Tx) { tx.Flush() }},
		{name: "flush", before: func(tx *Tx) { int1(tx, "k", NoExpiry) }, then: func(tx *Tx) { tx.Flush() }, dirty: true},
		{name: "flush without the key", before: func(tx *Tx) { int1(tx, "other", NoExpiry) }, then: func(tx *Tx) { tx.Flush() }},
		{name: "flush of another database", before: func(tx *Tx) { int1(tx, "k", NoExpiry) },
			then: func(tx *Tx) { tx.Select(1); tx.Flush() }},
		{name: "swap takes it away", before: func(tx *Tx) { int1(tx, "k", NoExpiry) }, then: func(tx *Tx) { tx.Swap(0, 1) }, dirty: true},
		{name: "swap brings it", before: func(tx *Tx) { tx.Select(1); int1(tx, "k", NoExpiry); tx.Select(0) },
			then: func(tx *Tx) { tx.Swap(1, 0) }, dirty: true},
		{name: "swap brings an expired key", before: func(tx *Tx) { tx.Select(1); int1(tx, "k", testNow/1e6-1); tx.Select(0) },
			then: func(tx *Tx) { tx.Swap(1, 0) }},
		{name: "swap of two expired keys", before: func(tx *Tx) {
			int1(tx, "k", testNow/1e6-1)
			tx.Select(1)
			int1(tx, "k", testNow/1e6-1)
			tx.Select(0)
		}, then: func(tx *Tx) { tx.Swap(1, 0) }},
		{name: "swap of empty databases", then: func(tx *Tx) { tx.Swap(0, 1) }},
		{name: "swap of other databases", before: func(tx *Tx) { int1(tx, "k", NoExpiry) }, then: func(tx *Tx) { tx.Swap(1, 2) }},
		{name: "moved away", before: func(tx *Tx) { int1(tx, "k", NoExpiry) },
			then: func(tx *Tx) { e := tx.Write([]byte("k")); e.Move(1) }, dirty: true},
		{name: "copied over", before: func(tx *Tx) { int1(tx, "other", NoExpiry) },
			then: func(tx *Tx) { e := tx.Write([]byte("other")); e.CopyTo(0, []byte("k")) }, dirty: true},
		{name: "evicted", before: func(tx *Tx) { int1(tx, "k", NoExpiry) },
			then: func(tx *Tx) { tx.End(); tx.s.Evict(testNow, AllKeysRandom, 5, 0) }, dirty: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Options{Databases: 3, Seed: 1})
			var w Watcher
			tx := whole(s, testNow)
			if c.before != nil {
				c.before(tx)
			}
			tx.Watch(&w, []byte("k"))
			tx.Watch(&w, []byte("k"))
			require.True(t, w.Watching())
			require.False(t, tx.Dirty(&w))
			tx.End()
			tx = whole(s, testNow+c.later*1e6)
			if c.then != nil {
				c.then(tx)
			}
			tx.End()
			var fp Footprint
			w.Footprint(&fp)
			tx.Begin(testNow+c.later*1e6, 2, &fp)
			require.Equal(t, c.dirty, tx.Dirty(&w))
			tx.Unwatch(&w)
			require.False(t, w.Watching())
			require.False(t, tx.Dirty(&w))
			require.Empty(t, s.partitions[PartitionOf(Slot([]byte("k")))].watches)
			tx.End()
		})
	}
}
