package group

import (
	"testing"
	"time"

	"cellserver/cluster/entry"
	"cellserver/persistence/aof"
	"cellserver/store"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// A node loads all keys again. A key has expired by now in its last snapshot, and a later entry has made it live longer. The
// job that removes expired keys runs meanwhile, and leaves the key.
func TestNoKeyExpiresWhileAllKeysAreLoadedAgain(t *testing.T) {
	n := newNode(FeatureLevel)
	logs, snapshots := raft.NewInmemStore(), raft.NewInmemSnapshotStore()
	n.o.Disk = Disk{Logs: logs, Stable: logs, Snapshots: snapshots}
	index := uint64(0)
	log := func(kind entry.Kind, at time.Duration, body []byte) {
		index++
		data := append(entry.AppendHeader(nil), body...)
		require.NoError(t, entry.Finish(data, entry.Entry{Kind: kind, Term: 2, Batch: index, Time: int64(at)}))
		l := &raft.Log{Index: index, Term: 2, Data: data}
		require.NoError(t, logs.StoreLog(l))
		require.NoError(t, n.applyLog(l))
	}
	change := func(at time.Duration, f store.Effect) {
		var body aof.Body
		f.Key = []byte("key")
		body.Append([]store.Effect{f})
		log(entry.Effects, at, body.AppendTo(nil))
	}
	log(entry.EpochBegins, time.Second, epochOf(FeatureLevel))
	change(time.Second, store.Effect{Op: store.OpSet, Operands: store.Operands{Int: 7}, At: 5_000})
	sink, err := snapshots.Create(1, index, 2, raft.Configuration{}, 1, nil)
	require.NoError(t, err)
	_, err = sink.Write(snapshotOf(t, n))
	require.NoError(t, err)
	require.NoError(t, sink.Close())
	change(4*time.Second, store.Effect{Op: store.OpExpire, At: 50_000})
	log(entry.Tick, 10*time.Second, nil)

	sweep := func() {
		n.o.Store.Sweep(n.Horizon(), &store.SweepCursor{Applied: true}, 1<<20)
	}
	sweep()
	require.Equal(t, 1, n.o.Store.Len(0))
	n.o.Own = sweep // is called after each step
	require.NoError(t, n.rebuild())
	require.Equal(t, 1, n.o.Store.Len(0))
	sweep()
	require.Equal(t, 1, n.o.Store.Len(0))
	require.Equal(t, int64(10*time.Second-late), n.Horizon())
}
