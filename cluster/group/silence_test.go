package group_test

import (
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// The next leader nearly always serves within two NodeTimeouts after the loss of a leader. Raft alone needs up to three. Two nodes
// are seldom candidates at the same time: then they try again later.
func TestTheNextLeaderServesSoon(t *testing.T) {
	const worlds, maxLate = 40, 6 // of Raft alone, about twenty are late
	for _, nodes := range []int{3, 5} {
		late := 0
		for i := range worlds {
			bubble(t, func(t *testing.T, _ func()) {
				c := clustertest.New(t, clustertest.Options{Nodes: nodes, Seed: uint64(i), Now: time.Now})
				defer c.Close()
				leader := c.Leader()
				time.Sleep(5*time.Second + time.Duration(i)*37*time.Millisecond)
				begun := time.Now()
				require.NoError(t, leader.Kill())
				require.NotSame(t, leader, c.Leader())
				if time.Since(begun) > time.Second {
					late++
				}
			})
		}
		require.LessOrEqual(t, late, maxLate, "of %d clusters of %d nodes", worlds, nodes)
	}
}
