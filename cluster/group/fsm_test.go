package group

import (
	"fmt"
	"log/slog"
	"testing"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"
	"cellserver/persistence/aof"
	"cellserver/store"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// BenchmarkApply applies entries of many decisions: as a follower does, and as if its changes could be taken back.
func BenchmarkApply(b *testing.B) {
	const keys, perEntry = 100_000, 512
	for _, undo := range []bool{false, true} {
		b.Run(fmt.Sprint("undo=", undo), func(b *testing.B) {
			s := store.New(store.Options{Databases: 1, Seed: 1})
			n := New(Options{Self: topology.Node{ID: fmt.Sprintf("%040d", 1)}, Store: s, Log: slog.New(slog.DiscardHandler)})
			s.Observe(n)
			s.KeepUndo(undo)
			n.fsm.term = 1
			effects := 0
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				data := decisions(b, uint64(i+1), i*perEntry, perEntry, keys)
				b.StartTimer()
				require.NoError(b, n.applyLog(&raft.Log{Index: uint64(i + 1), Term: 1, Data: data}))
				effects += perEntry
			}
			require.Equal(b, min(effects, keys), s.Len(0))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(effects), "ns/effect")
		})
	}
}

// decisions returns an entry with decisions about keys.
func decisions(t testing.TB, number uint64, from, n, keys int) []byte {
	var body aof.Body
	for i := range n {
		tat := int64(1_700_000_000_000_000_000) + int64(from+i)*1000
		key := fmt.Appendf(nil, "user:%012d", (from+i)*7919%keys)
		body.Append([]store.Effect{{Op: store.OpSet, Key: key, Operands: store.Operands{Int: tat}, At: tat/1e6 + 60_000}})
	}
	data := body.AppendTo(entry.AppendHeader(nil))
	require.NoError(t, entry.Finish(data, entry.Entry{Kind: entry.Effects, Term: 1, Batch: number, Time: int64(number)}))
	return data
}
