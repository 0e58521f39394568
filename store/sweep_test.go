package store

import (
	"fmt"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

const testNow int64 = 1_700_000_000_000_000_000 // Unix ns

// fill adds n throttle keys whose TATs are spread over a span (ns) from now on.
func fill(s *Store, n int, now, span int64) {
	tx := s.NewTx()
	var key []byte
	for i := range n {
		key = fmt.Appendf(key[:0], "throttle:%07d", i)
		var fp Footprint
		fp.AddKey(key)
		tx.Begin(now, 0, &fp)
		e := tx.Write(key)
		tat := now + 1 + span/int64(n)*int64(i)
		e.SetInt(tat, table.CeilMillis(tat))
		tx.End()
	}
}

func TestSweepGivesEverythingBack(t *testing.T) {
	n := scaled(1_000_000)
	s := New(Options{Databases: 16, Seed: 1})
	fill(s, n, testNow, 10e9)
	full := s.Used()
	const budget = 20_000
	var c SweepCursor
	now, total := testNow, 0
	for round := 0; s.Len(0) > 0; round++ {
		require.Less(t, round, 100_000, "it must end")
		expired, visited := s.Sweep(now, &c, budget)
		total += expired
		require.LessOrEqual(t, visited, budget+2048, "a round is bounded")
		if expired == 0 {
			now += 100e6
		}
		if round == 0 {
			require.Zero(t, total, "nothing has expired yet")
		}
		if now == testNow+5e9 {
			require.Less(t, s.Used(), full*7/10, "memory follows live keys")
		}
	}
	require.Equal(t, n, total)
	require.EqualValues(t, n, s.Counters().Expired)
	require.Zero(t, s.Used())
	require.Less(t, now, testNow+15e9, "the sweep keeps up")
}

func TestSweepSkipsSegmentsWithoutExpiredKeys(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	fill(s, 100_000, testNow, 1e9)
	var c SweepCursor
	_, visited := s.Sweep(testNow, &c, 1_000_000)
	require.Less(t, visited, 2000, "one step for each segment, none for cells")
	expired, _ := s.Sweep(testNow+500e6, &c, 1_000_000)
	require.InDelta(t, 50_000, expired, 500)
	_, visited = s.Sweep(testNow+500e6, &c, 1_000_000)
	require.Less(t, visited, 2000, "the bounds are exact again")
	tx := whole(s, testNow)
	checkInvariants(t, tx)
	tx.End()
}

type recorded struct{ all []Effect }

func (r *recorded) Committed(_ *Tx, effects []Effect) {
	for _, e := range effects {
		e.Key = append([]byte(nil), e.Key...)
		r.all = append(r.all, e)
	}
}

func TestSweepIsObserved(t *testing.T) {
	var o recorded
	s := New(Options{Databases: 4, Seed: 1})
	s.Observe(&o)
	big := string(make([]byte, 2<<20))
	for db := range 4 {
		tx := whole(s, testNow)
		tx.Select(db)
		for _, k := range []string{"a", "b", big} {
			e := tx.Write([]byte(k))
			e.SetBytes([]byte("v"), testNow/1e6+10)
		}
		tx.End()
	}
	o.all = nil
	tx := whole(s, testNow)
	var w, other Watcher
	tx.Watch(&w, []byte("a"))
	tx.Watch(&other, []byte("absent"))
	tx.End()
	var c SweepCursor
	expired, _ := s.Sweep(testNow+10e6, &c, 100_000)
	require.Zero(t, expired, "a key lives through its last millisecond")
	expired, _ = s.Sweep(testNow+11e6, &c, 100_000)
	require.Equal(t, 12, expired)
	got := map[string]int{}
	for _, e := range o.all {
		require.Equal(t, OpDel, e.Op)
		got[fmt.Sprint(e.DB, string(e.Key))]++
	}
	require.Len(t, got, 12)
	tx = whole(s, testNow)
	require.True(t, tx.Dirty(&w))
	require.False(t, tx.Dirty(&other))
	tx.End()
	require.Zero(t, s.Used())
}

// TestScanAfterManyRemovals checks that the cost of a scan follows the keys that are left.
func TestScanAfterManyRemovals(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	n := scaled(1_000_000)
	fill(s, n, testNow, 1e9)
	tx := whole(s, testNow)
	for i := range n {
		if i%(n/30) != 0 {
			e := tx.Write(fmt.Appendf(nil, "throttle:%07d", i))
			require.True(t, e.Delete())
		}
	}
	checkInvariants(t, tx)
	segments, entries := 0, 0
	for i := range tx.s.partitions {
		shape := tx.s.tables.findOrMake(&tx.s.partitions[i], 0).Shape()
		entries += shape.Entries
		segments += shape.Segments
	}
	require.LessOrEqual(t, entries, 64)
	require.LessOrEqual(t, segments, 64)
	tx.End()
}
