package group

import (
	"testing"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// A node that loads its keys again is joining, also while it is its own leader until its changes are taken back. A command that
// waits for its partitions asks for that state, and does not run on some of the keys.
func TestANodeThatLoadsItsKeysAgainIsJoining(t *testing.T) {
	n := newNode(FeatureLevel)
	n.o.Disk.Snapshots = raft.NewInmemSnapshotStore()
	n.queue.add(entry.Effects, 2, 1)
	var seen []topology.State
	n.o.Own = func() { seen = append(seen, n.View().State) }
	require.NoError(t, n.rebuild())
	require.NotEmpty(t, seen)
	for _, state := range seen {
		require.Equal(t, topology.Joining, state)
	}
	require.Nil(t, n.View().Leader())
}
