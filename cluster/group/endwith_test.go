package group

import (
	"io"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// Calls that raft never answers end with the node. The raft of this test has no leader, so it has nothing to do.
func TestCallsEndWithTheNode(t *testing.T) {
	c := raft.DefaultConfig()
	c.LocalID, c.LogOutput = "node", io.Discard
	_, transport := raft.NewInmemTransport("node")
	store := raft.NewInmemStore()
	r, err := raft.NewRaft(c, machine{}, store, store, raft.NewInmemSnapshotStore(), transport)
	require.NoError(t, err)
	gone := make(chan struct{})
	close(gone)
	for name, f := range map[string]raft.Future{
		"transfer": r.LeadershipTransferToServer("other", "other"), "add": r.AddVoter("other", "other", 0, time.Minute),
		"remove": r.RemoveServer("other", 0, time.Minute), "apply": r.Apply(nil, time.Minute),
	} {
		require.True(t, endWith(f, gone), name)
		require.Error(t, f.Error(), name)
	}
	require.NoError(t, r.Shutdown().Error())
	require.False(t, endWith(r.Apply(nil, 0), gone), "it has its result")
}

// A change of the members that loses its leader says so, in words for a person.
func TestAChangeThatLosesItsLeaderIsUnknown(t *testing.T) {
	g := &Group{life: life{members: make(chan struct{}, 1)}}
	for _, lost := range []error{raft.ErrLeadershipLost, raft.ErrNotLeader} {
		require.ErrorIs(t, g.changeMembers(func() error { return lost }), errUnknown)
	}
	require.NoError(t, g.changeMembers(func() error { return nil }))
}
