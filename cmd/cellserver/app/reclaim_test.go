package app

import (
	"fmt"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestReclaimIsDue(t *testing.T) {
	const mb = 1 << 20
	r := &reclaimer{resident: 110 * mb, used: 100 * mb}
	require.False(t, r.due(110*mb, 100*mb), "nothing has changed")
	require.False(t, r.due(210*mb, 200*mb), "only the keys have grown")
	require.False(t, r.due(167*mb, 100*mb), "garbage below the bound")
	require.True(t, r.due(168*mb, 100*mb), "a quarter and 32 MB of garbage")
	require.True(t, r.due(110*mb, 10*mb), "keys were removed, and the heap is still as large")
	require.False(t, r.due(20*mb, 10*mb), "the collector ran by itself")
}

// While clients are active, a collection verifies from time to time how many objects live besides the values.
func TestReclaimIsStale(t *testing.T) {
	const mb, second = 1 << 20, int64(1e9)
	r := &reclaimer{resident: 800 * mb, used: 10 * mb, collected: 10 * second, activity: 1}
	require.True(t, r.stale(15*second, 10*mb, 2))
	require.False(t, r.stale(15*second, 10*mb, 1), "nobody has done anything")
	require.False(t, r.stale(14*second, 10*mb, 2), "too soon")
	r.took = second / 2
	require.False(t, r.stale(19*second, 10*mb, 2), "at most a twentieth of the time")
	require.True(t, r.stale(20*second, 10*mb, 2))
	r.resident = 42 * mb
	require.False(t, r.stale(20*second, 10*mb, 2), "little lives besides the values")
}

// While no client does anything, less garbage justifies a collection.
func TestLessGarbageIsDueInQuiet(t *testing.T) {
	const mb, second = 1 << 20, int64(1e9)
	r := &reclaimer{resident: 110 * mb, used: 96 * mb, collected: 10 * second, seen: 7}
	require.False(t, r.quiet(12*second, 120*mb, 96*mb, 7), "4 MB and a sixteenth")
	require.True(t, r.quiet(12*second, 121*mb, 96*mb, 7))
	require.False(t, r.due(121*mb, 96*mb), "too little while clients are active")
	require.False(t, r.quiet(12*second, 121*mb, 96*mb, 8), "a client has done something")
	r.took = second / 2
	require.False(t, r.quiet(19*second, 121*mb, 96*mb, 7), "at most a twentieth of the time")
	require.True(t, r.quiet(20*second, 121*mb, 96*mb, 7))
}

// One call gives the memory of expired keys back to the system, except for spareHeap.
func TestReclaimGivesMemoryBack(t *testing.T) {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	r := &reclaimer{}
	const now, second = int64(1_700_000_000_000_000_000), int64(1e9)
	tx := s.NewTx()
	for i := range 200 {
		var fp store.Footprint
		key := fmt.Appendf(nil, "large:%d", i)
		fp.AddKey(key)
		tx.Begin(now, 0, &fp)
		e := tx.Write(key)
		e.SetBytes(make([]byte, 1<<20), now/1e6+1000)
		tx.End()
	}
	r.collect(s.UsedOfHeap())
	full, took := readHeap().resident, s.UsedOfHeap()
	require.Greater(t, took, int64(200<<20))
	var cursor store.SweepCursor
	for s.Len(0) > 0 {
		s.Sweep(now+3*second, &cursor, 1_000_000)
	}
	r.reclaim(func() int64 { return 0 }, s.UsedOfHeap(), 0)
	require.Less(t, readHeap().resident, full-took+spareHeap+8<<20)
}
