package group

import (
	"testing"

	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

// A node that raft elects before it has applied the entry that lets it vote names no leader. Otherwise its followers would take
// their keys for as new as its own, which may be those of an old snapshot.
func TestALeaderWithoutAnEpochIsDown(t *testing.T) {
	g := &Group{o: Options{Self: topology.Node{ID: "self"}}}
	for _, votes := range []bool{false, true} {
		require.Equal(t, topology.Down, g.state("self", votes))
	}
	require.Equal(t, topology.Joining, g.state("other", false))
	require.Equal(t, topology.OK, g.state("other", true))
}
