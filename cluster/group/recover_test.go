package group_test

import (
	"errors"
	"testing"

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
