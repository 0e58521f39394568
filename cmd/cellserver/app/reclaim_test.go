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
	full, took := residentHeap(), s.UsedOfHeap()
	require.Greater(t, took, int64(200<<20))
	var cursor store.SweepCursor
	for s.Len(0) > 0 {
		s.Sweep(now+3*second, &cursor, 1_000_000)
	}
	r.reclaim(s.UsedOfHeap())
	require.Less(t, residentHeap(), full-took+spareHeap+8<<20)
}
