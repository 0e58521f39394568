package store

import (
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// shown returns a key as text, to compare it.
func shown(im *Image) string {
	text := fmt.Sprintf("%v until %d: ", im.Kind, im.ExpireAt)
	switch im.Kind {
	case Int:
		text += fmt.Sprint(im.Int)
	case Raw:
		text += string(im.Bytes)
	default:
		text += membersOf(im.Collection)
	}
	return text
}

// allKeys reads every key that has not expired, cell by cell. All locks must be held.
func allKeys(s *Store, now int64) map[string]string {
	all := map[string]string{}
	for i := range s.partitions {
		for _, of := range s.partitions[i].tables {
			var place table.Place
			of.Table.Each(&place, func() {
				im := place.Image()
				if !place.Cell().Expired(now) {
					all[fmt.Sprint(of.DB, " ", string(im.Key))] = shown(&im)
				}
			})
		}
	}
	return all
}

// snapshot begins a snapshot. It returns it and what it must show.
func snapshot(t *testing.T, s *Store, now int64) (n *Snapshot, want map[string]string) {
	t.Helper()
	n, err := s.Snapshot(now, func() { want = allKeys(s, now) })
	require.NoError(t, err)
	return n, want
}

// collect reads a snapshot to its end, and calls do after each key.
func (n *Snapshot) collect(t *testing.T, do func()) map[string]string {
	t.Helper()
	got, last := map[string]string{}, 0
	require.NoError(t, n.Each(func(im *Image) error {
		key := fmt.Sprint(im.DB, " ", string(im.Key))
		if _, twice := got[key]; twice || im.DB < last {
			return fmt.Errorf("%q comes twice, or after another database", key)
		}
		got[key], last = shown(im), im.DB
		do()
		return nil
	}))
	return got
}

// churn makes segments split and merge: many keys of few partitions come and go.
func churn(r *rand.Rand, tx *Tx) {
	tag, n := r.Intn(3), r.Intn(3000)
	for i := range n {
		e := tx.Write(fmt.Appendf(nil, "{%d}%d", tag, i))
		switch {
		case n%3 != 0:
			e.Delete()
		case i%50 == 0:
			e.SetBytes(fmt.Append(nil, "text", i), NoExpiry)
		default:
			e.SetInt(int64(i), NoExpiry)
		}
	}
}

// TestSnapshotIsOfOneMoment changes the store in every way between the keys of a snapshot. The
// snapshot must show what was there when it began.
func TestSnapshotIsOfOneMoment(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 3, Seed: 1})
	s.SetLimits(limitsOf(2, 64))
	var cursor SweepCursor
	now := testNow
	step := func() {
		now += r.Int63n(5e6)
		switch r.Intn(200) {
		case 0:
			s.Sweep(now, &cursor, r.Intn(2000))
			return
		case 1:
			s.Evict(now, evictingPolicies[r.Intn(len(evictingPolicies))], 5, s.Used()-int64(r.Intn(500)))
			return
		}
		tx := whole(s, now)
		defer tx.End()
		for range 1 + r.Intn(4) {
			tx.Select(r.Intn(3))
			if r.Intn(300) == 0 {
				churn(r, tx)
			}
			randomWrite(r, tx)
		}
	}
	var early int64
	for range scaled(300) {
		for range r.Intn(100) {
			step()
		}
		n, want := snapshot(t, s, now)
		often := 1 + r.Intn(40)
		got := n.collect(t, func() {
			if r.Intn(often) == 0 {
				step()
			}
		})
		waits, most := n.Copied()
		require.Zero(t, waits)
		early += most
		n.Close()
		requireSame(t, want, got, 0)
		tx := whole(s, now)
		checkInvariants(t, tx)
		tx.End()
	}
	require.Positive(t, early, "no segment changed before the snapshot came to it")
	tx := whole(s, now)
	for db := range 3 {
		tx.Select(db)
		tx.Flush()
	}
	tx.End()
	require.NoError(t, s.blocks.Check(0), "all blocks were given back")
}

// TestSnapshotSeesMergedSegments merges a changed segment with a buddy that has not changed.
func TestSnapshotSeesMergedSegments(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	putInts(s, 0, 1500)
	tx := whole(s, testNow)
	for i := range 1200 {
		e := tx.Write(fmt.Append(nil, "{t}", i))
		e.Delete()
	}
	tx.End()
	tb := tableOfT(s)
	require.Equal(t, 1, tb.Shape().Depth)
	n, want := snapshot(t, s, testNow)
	defer n.Close()
	tx = whole(s, testNow)
	for i := 1200; i < 1500 && tb.Shape().Depth > 0; i++ {
		key := fmt.Append(nil, "{t}", i)
		if e := tx.Write(key); tb.Hash(key)>>63 == 0 { // the first of the two segments
			e.Delete()
		}
	}
	tx.End()
	require.Zero(t, tb.Shape().Depth)
	requireSame(t, want, n.collect(t, func() {}), 0)
}

// TestSnapshotSeesSplitSegments splits a segment after one of its cells has changed.
func TestSnapshotSeesSplitSegments(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	putInts(s, 0, 500)
	n, want := snapshot(t, s, testNow)
	defer n.Close()
	putInts(s, 499, 1500)
	require.Positive(t, tableOfT(s).Shape().Depth)
	requireSame(t, want, n.collect(t, func() {}), 0)
}

// TestSnapshotSavesHeads checks that a changed cell costs its head only, not a copy of its segment.
// If many cells change, the segment is copied, once.
func TestSnapshotSavesHeads(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	putInts(s, 0, 600)
	require.Zero(t, tableOfT(s).Shape().Depth)
	segment := int64(tableOfT(s).Shape().Arena)
	n, want := snapshot(t, s, testNow)
	defer n.Close()
	putInts(s, 10, 20)
	few, _ := n.Copied()
	require.Less(t, few, segment/10)
	putInts(s, 0, 600)
	all, most := n.Copied()
	require.Equal(t, segment, all)
	require.Less(t, most, segment+2*256*28, "at most 256 heads of 28 bytes")
	for range 10 {
		putInts(s, 0, 600)
	}
	again, _ := n.Copied()
	require.Equal(t, all, again)
	requireSame(t, want, n.collect(t, func() {}), 0)
}

// putInts writes integers to keys of one partition; each call writes other integers.
func putInts(s *Store, from, to int) {
	tx := whole(s, testNow)
	defer tx.End()
	for i := from; i < to; i++ {
		e := tx.Write(fmt.Append(nil, "{t}", i))
		e.SetInt(s.Changes()+int64(i), NoExpiry)
	}
}

// tableOfT returns the table of the keys of putInts.
func tableOfT(s *Store) *table.Table {
	return s.tables.findOrMake(&s.partitions[PartitionOf(Slot([]byte("{t}")))], 0)
}

// TestSnapshotsBesideTransactions takes snapshots while transactions keep a sum. Each snapshot must
// show the same sum.
func TestSnapshotsBesideTransactions(t *testing.T) {
	s := New(Options{Databases: 3, Seed: 1})
	s.SetLimits(limitsOf(30, 64))
	tx := whole(s, testNow)
	for i := range accounts {
		e := tx.Write(account(i))
		e.SetInt(accountBalance, NoExpiry)
	}
	tx.End()
	seed := seeded(t).Int63()
	var clock atomic.Int64
	clock.Store(testNow)
	var stop atomic.Bool
	var beside sync.WaitGroup
	background := func(f func(r *rand.Rand, tx *Tx, now int64)) {
		r, tx := rand.New(rand.NewSource(seed+clock.Add(1))), s.NewTx()
		beside.Go(func() {
			for !stop.Load() {
				f(r, tx, clock.Add(10e3))
			}
		})
	}
	var cursor SweepCursor
	for range 4 {
		background(transfer)
	}
	background(func(_ *rand.Rand, _ *Tx, now int64) { s.Sweep(now, &cursor, 10_000) })
	background(func(_ *rand.Rand, _ *Tx, now int64) { s.Evict(now, VolatileLRU, 5, s.Used()-2000) })
	background(func(r *rand.Rand, _ *Tx, now int64) {
		tx := whole(s, now)
		defer tx.End()
		tx.Select(1 + r.Intn(2))
		randomKeyWrite(r, tx)
		switch r.Intn(50) {
		case 0:
			churn(r, tx)
		case 1:
			tx.Swap(1, 2)
		case 2:
			tx.Flush()
		}
	})
	for range scaled(200) {
		n, want := snapshot(t, s, clock.Load())
		got := n.collect(t, func() {
			if rand.Intn(50) == 0 {
				runtime.Gosched()
			}
		})
		n.Close()
		requireSame(t, want, got, 0)
		sum := 0
		for i := range accounts {
			var balance int
			_, err := fmt.Sscanf(got[fmt.Sprint("0 ", string(account(i)))], "%d until "+fmt.Sprint(NoExpiry)+": %d", new(int), &balance)
			require.NoError(t, err)
			sum += balance
		}
		require.Equal(t, accounts*accountBalance, sum)
	}
	stop.Store(true)
	beside.Wait()
	end := whole(s, clock.Load())
	checkInvariants(t, end)
	end.End()
}

// TestSnapshotEnds checks that a snapshot can end at any key, and that the next one can begin.
func TestSnapshotEnds(t *testing.T) {
	s := New(Options{Databases: 2, Seed: 1})
	tx := whole(s, testNow)
	for i := range 5000 {
		e := tx.Write(fmt.Append(nil, "key", i))
		e.SetInt(int64(i), NoExpiry)
	}
	tx.End()
	n, _ := snapshot(t, s, testNow)
	_, err := s.Snapshot(testNow, nil)
	require.ErrorIs(t, err, ErrSnapshot)
	require.Equal(t, []Count{{5000, 0}, {}}, n.Counts())
	enough := errors.New("enough")
	seen := 0
	require.ErrorIs(t, n.Each(func(*Image) error {
		if seen++; seen == 100 {
			return enough
		}
		return nil
	}), enough)
	tx = whole(s, testNow)
	churn(rand.New(rand.NewSource(1)), tx)
	tx.End()
	n.Close()
	n.Close()
	n, want := snapshot(t, s, testNow)
	requireSame(t, want, n.collect(t, func() {}), 0)
	n.Close()
}

// TestSnapshotLeavesOutExpiredKeys checks the moment of expiry to the nanosecond of a TAT.
func TestSnapshotLeavesOutExpiredKeys(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	for key, at := range map[string]int64{"stays": testNow + 1, "expired": testNow + 2} {
		e := tx.Write([]byte(key))
		e.SetInt(testNow+100-at, table.CeilMillis(testNow+100-at))
		e.SetInt(2*testNow+3-at, table.CeilMillis(2*testNow+3-at))
	}
	tx.End()
	n, err := s.Snapshot(testNow+1, nil)
	require.NoError(t, err)
	defer n.Close()
	got := n.collect(t, func() {})
	require.Len(t, got, 1)
	require.Contains(t, got, "0 stays")
}

// TestSnapshotCopiesStringsOnce checks that writing into a long string copies it once while a
// snapshot runs, not at every write.
func TestSnapshotCopiesStringsOnce(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	e := tx.Write([]byte("k"))
	e.SetBytes(make([]byte, 1<<20), NoExpiry)
	tx.End()
	n, want := snapshot(t, s, testNow)
	defer n.Close()
	tx = whole(s, testNow)
	e = tx.Write([]byte("k"))
	e.SetRange(0, []byte("first"))
	own := &e.Bytes(nil)[0]
	for range 10 {
		e.SetRange(3, []byte("more"))
		require.Same(t, own, &e.Bytes(nil)[0])
	}
	tx.End()
	requireSame(t, want, n.collect(t, func() {}), 0)
}
