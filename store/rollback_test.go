package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRollback takes random transactions back, some of them twice. The store must hold what it held before, with and
// without the undo of the whole store, and while snapshots run.
func TestRollback(t *testing.T) {
	r := seeded(t)
	for _, keeps := range []bool{false, true} {
		s, l := New(Options{Databases: 3, Seed: 1}), &undoLog{}
		s.SetLimits(limitsOf(2, 64))
		s.Observe(l)
		s.KeepUndo(keeps)
		now, rolledBack := int64(testNow), 0
		round := func() {
			now += r.Int63n(20e6)
			before, logged := dump(s), len(l.all)
			tx := whole(s, now)
			tx.KeepUndo()
			write := func() {
				for range r.Intn(12) {
					tx.Select(r.Intn(3))
					switch n := r.Intn(60); n {
					case 0:
						tx.Flush()
					case 1:
						tx.Swap(r.Intn(3), r.Intn(3))
					default:
						writeOneOf(r, tx, 20)
					}
				}
			}
			write()
			for range r.Intn(3) {
				tx.Rollback()
				rolledBack++
				require.Zero(t, tx.Changes())
				if r.Intn(2) == 0 {
					tx.End()
					requireSame(t, before, dump(s), rolledBack)
					require.Len(t, l.all, logged)
					return
				}
				write()
			}
			tx.End()
			if keeps && r.Intn(4) == 0 {
				l.final(s)
			}
		}
		for range scaled(60) {
			for range r.Intn(20) {
				round()
			}
			n, want := snapshot(t, s, now)
			requireSame(t, want, n.collect(t, func() {
				if r.Intn(3) == 0 {
					round()
				}
			}), 0)
			n.Close()
		}
		l.final(s)
		tx := whole(s, now)
		checkInvariants(t, tx)
		for db := range 3 {
			tx.Select(db)
			tx.Flush()
		}
		tx.End()
		l.final(s)
		require.NoError(t, s.blocks.Check(0), "all blocks were given back")
		require.Positive(t, rolledBack)
		for i := range s.partitions {
			require.Equal(t, keeps, s.partitions[i].keeper != nil)
		}
	}
}

// TestRollbackOnOneKey takes changes of a transaction on one key back. The partition keeps nothing then.
func TestRollbackOnOneKey(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	do(s, "key", setText("text"))
	want := dump(s)
	tx := s.NewTx()
	tx.BeginKey(testNow, 0, []byte("key"))
	tx.KeepUndo()
	for range 3 {
		e := tx.Write([]byte("key"))
		appendText("more")(&e)
		e.Delete()
		setInt(1, NoExpiry)(&e)
	}
	tx.Rollback()
	tx.End()
	requireSame(t, want, dump(s), 0)
	var one, other Footprint
	one.AddKey([]byte("key"))
	other.AddKey([]byte("another key"))
	tx.BeginKey(testNow, 0, []byte("key"))
	require.True(t, tx.Holds(&one))
	require.False(t, tx.Holds(&other))
	require.True(t, tx.Holds(&Footprint{}))
	require.True(t, other.contains(&other) && !other.IsEmpty())
	tx.End()
}

// TestRollbackAfterReads: what a transaction removes before KeepUndo, because it has expired, stays removed.
func TestRollbackAfterReads(t *testing.T) {
	for _, writes := range []bool{false, true} {
		s, l := New(Options{Databases: 1, Seed: 1}), &recorded{}
		do(s, "key", setText("text"))
		want := dump(s)
		do(s, "old", setInt(1, testNow/1e6+1))
		s.Observe(l)
		tx := whole(s, testNow+5e6)
		old := tx.Peek([]byte("old"))
		require.False(t, old.Exists())
		require.Equal(t, 1, tx.Changes())
		if writes {
			tx.KeepUndo()
			e := tx.Write([]byte("key"))
			e.Delete()
			e = tx.Write([]byte("old"))
			setInt(2, NoExpiry)(&e)
			require.Equal(t, 3, tx.Changes())
		}
		tx.Rollback()
		require.Equal(t, 1, tx.Changes())
		tx.End()
		requireSame(t, want, dump(s), 0)
		require.Len(t, l.all, 1)
		require.Equal(t, OpDel, l.all[0].Op)
	}
}
