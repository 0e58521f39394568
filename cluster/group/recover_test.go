package group_test

import (
	"errors"
	"testing"

	"cellserver/cluster/entry"
	"cellserver/cluster/group"
	"cellserver/store"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// badEntry is a log whose first entry cannot be read, or does not say what an entry says.
type badEntry struct {
	*raft.InmemStore
	err error
}

func (b badEntry) LastIndex() (uint64, error) { return 1, nil }

func (b badEntry) GetLog(_ uint64, l *raft.Log) error {
	*l = raft.Log{Index: 1, Type: raft.LogCommand, Data: []byte("?")}
	return b.err
}

// TestRecoverNamesABadEntry: this is the first time that the entry is read.
func TestRecoverNamesABadEntry(t *testing.T) {
	for want, err := range map[string]error{
		"entry 1 of the log cannot be read: torn": errors.New("torn"),
		"entry 1 of the log cannot be applied: ":  nil,
	} {
		logs := badEntry{raft.NewInmemStore(), err}
		_, _, err := group.Recover(group.Options{Store: store.New(store.Options{Databases: 1}),
			Disk: group.Disk{Logs: logs, Stable: logs, Snapshots: raft.NewDiscardSnapshotStore()}})
		require.ErrorContains(t, err, want)
	}
}

// TestRecoverLeavesOutALogOfAnotherLeader: a crash has left a snapshot of the leader, and the log before it. Its entry with
// the index of the snapshot has another term, or the same one.
func TestRecoverLeavesOutALogOfAnotherLeader(t *testing.T) {
	for term, want := range map[uint64]uint64{4: 7, 5: 9} {
		s := store.New(store.Options{Databases: 1})
		image, err := s.Snapshot(0, func() {})
		require.NoError(t, err)
		snapshots := raft.NewInmemSnapshotStore()
		sink, err := snapshots.Create(1, 7, 5, raft.Configuration{}, 1, nil)
		require.NoError(t, err)
		facts := entry.Facts{Index: 7, Term: 5, Level: group.FeatureLevel}
		require.NoError(t, entry.SaveImage(sink, image, facts, nil))
		require.NoError(t, sink.Close())
		logs := raft.NewInmemStore()
		for i := range uint64(9) {
			require.NoError(t, logs.StoreLog(&raft.Log{Index: 1 + i, Term: term, Type: raft.LogNoop}))
		}
		last, _, err := group.Recover(group.Options{Store: s,
			Disk: group.Disk{Logs: logs, Stable: logs, Snapshots: snapshots}})
		require.NoError(t, err)
		require.Equal(t, want, last, term)
	}
}
