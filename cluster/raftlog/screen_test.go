package raftlog

import (
	"io"
	"strings"
	"testing"

	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// TestScreen: only a snapshot whose last entry is here is kept from Raft. Its body is read, so that the next message of
// the connection can be read, too.
func TestScreen(t *testing.T) {
	store := open(t, &fstest.Memory{}, Options{})
	require.NoError(t, store.StoreLogs(textEntries(51, 60, 3)))
	j := &Joined{LogStore: store, SnapshotStore: raft.NewInmemSnapshotStore()}
	takeSnapshot(t, j, 50, 3)
	closed := make(chan struct{})
	defer close(closed)
	for _, test := range []struct {
		index, term uint64
		held        bool
	}{
		{10, 1, true}, {49, 3, true}, {50, 3, true}, {51, 3, true}, {60, 3, true},
		{50, 2, false}, {55, 4, false}, {61, 3, false}, {1000, 9, false},
	} {
		body := strings.NewReader("a snapshot")
		answers := make(chan raft.RPCResponse, 1)
		rpc := j.Screen(raft.RPC{Reader: body, RespChan: answers,
			Command: &raft.InstallSnapshotRequest{LastLogIndex: test.index, LastLogTerm: test.term}}, closed)
		text, err := io.ReadAll(rpc.Reader) // as Raft does
		rpc.Respond(&raft.InstallSnapshotResponse{Term: 7, Success: err == nil}, err)
		require.Equal(t, raft.RPCResponse{Response: &raft.InstallSnapshotResponse{Term: 7, Success: true}}, <-answers)
		require.Zero(t, body.Len())
		require.Equal(t, test.held, len(text) == 0, test)
	}
	takeSnapshot(t, j, 60, 3)
	require.True(t, j.holds(&raft.InstallSnapshotRequest{LastLogIndex: 55, LastLogTerm: 4}),
		"a crash has left wrong entries before a newer snapshot")
}

// takeSnapshot takes an empty snapshot, and opens it.
func takeSnapshot(t *testing.T, j *Joined, index, term uint64) {
	sink, err := j.Create(1, index, term, raft.Configuration{}, 1, nil)
	require.NoError(t, err)
	require.NoError(t, sink.Close())
	_, in, err := j.Open(sink.ID())
	require.NoError(t, err)
	require.NoError(t, in.Close())
}

// TestScreenOfOtherMessages: other messages and other errors pass.
func TestScreenOfOtherMessages(t *testing.T) {
	j := &Joined{LogStore: open(t, &fstest.Memory{}, Options{})}
	entries := raft.RPC{Command: &raft.AppendEntriesRequest{}, RespChan: make(chan raft.RPCResponse)}
	require.Equal(t, entries, j.Screen(entries, nil))

	answers := make(chan raft.RPCResponse, 1)
	rpc := j.Screen(raft.RPC{Reader: strings.NewReader(""), RespChan: answers, Command: &raft.InstallSnapshotRequest{LastLogIndex: 1}}, nil)
	rpc.Respond(&raft.InstallSnapshotResponse{Term: 7}, io.ErrShortWrite)
	require.Equal(t, raft.RPCResponse{Response: &raft.InstallSnapshotResponse{Term: 7}, Error: io.ErrShortWrite}, <-answers)
}
