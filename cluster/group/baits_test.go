package group_test

import (
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

	"github.com/stretchr/testify/require"
)

// TestFaultsAreFound: a fault in the nodes is found within a few seeds. So the other tests can find such a fault. Each
// fault shows under one kind of trouble, so its worlds have only this trouble. Such a world finds its fault with a
// probability between 0.6 and 1.
func TestFaultsAreFound(t *testing.T) {
	for name, o := range map[string]worldOptions{
		"replies before a majority has them": {only: isolated, Options: clustertest.Options{Eager: true}},
		"reads without a lease":              {only: readers, Options: clustertest.Options{FrozenClocks: true}},
		"no undo": {only: isolated,
			Options: clustertest.Options{Prepare: (*group.Group).SkipUndo}},
		"logs that are not synced": {only: noPower,
			Options: clustertest.Options{Files: true, Unsynced: true}},
		"votes of nodes that lost their disk": {only: diskLost,
			Options: clustertest.Options{Prepare: (*group.Group).TrustVotes}},
		"entries of every term count": {only: toAndFro,
			Options: clustertest.Options{Prepare: func(n *group.Group) {
				n.SkipTerms()
				n.TrustDisk() // the entries of this world come late, and a node takes its disk for slow
			}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			progress := clustertest.Watchdog(t)
			o.Nodes, o.clients, o.lasts = 3, 4, 15*time.Second
			const enough = 20
			for i := range enough {
				o.Seed = first(t) + uint64(i)
				if wrong := run(t, progress, o); wrong != "" {
					t.Logf("seed %d: %.200s", o.Seed, wrong)
					return
				}
			}
			require.Fail(t, "nobody has found the fault", "in %d seeds", enough)
		})
	}
}
