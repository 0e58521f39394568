package app

import (
	"fmt"
	"runtime/metrics"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestReclaimIsDue(t *testing.T) {
	const mb = 1 << 20
	r := &reclaimer{heap: 110 * mb, used: 100 * mb}
	require.False(t, r.due(110*mb, 100*mb), "nothing has changed")
	require.False(t, r.due(210*mb, 200*mb), "the keys have grown, nothing else")
	require.False(t, r.due(154*mb, 100*mb), "garbage that is not worth it")
	require.True(t, r.due(155*mb, 100*mb), "an eighth and 32 MB of garbage")
	require.True(t, r.due(110*mb, 10*mb), "keys have gone, and their room is still there")
	require.False(t, r.due(20*mb, 10*mb), "the collector has been there by itself")
}

// TestReclaimGivesBack: what expired keys took is back with the system after one look.
func TestReclaimGivesBack(t *testing.T) {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	r := &reclaimer{}
	r.collect(s.Used())
	const now, keys = int64(1_700_000_000_000_000_000), 1_000_000
	tx := s.NewTx()
	for i := range keys {
		var fp store.Footprint
		key := fmt.Appendf(nil, "throttle:%07d", i)
		fp.AddKey(key)
		tx.Begin(now, 0, &fp)
		e := tx.Write(key)
		e.SetInt(now+1e9, now/1e6+1000)
		tx.End()
	}
	r.reclaim(s.Used())
	full := resident()
	var cursor store.SweepCursor
	for s.Len(0) > 0 {
		s.Sweep(now+3e9, &cursor, 1_000_000)
	}
	r.reclaim(s.Used())
	require.Less(t, resident(), full-keys*30)
}

// resident is what the heap holds of the system's memory.
func resident() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	n := int64(0)
	for _, s := range samples {
		n += int64(s.Value.Uint64())
	}
	return n
}
