package cluster_test

import (
	"testing"
	"time"

	"cellserver/cluster"
	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// TestFaultsAreFound: a fault in the nodes is found within a few seeds. So the other tests can find such a fault.
func TestFaultsAreFound(t *testing.T) {
	for name, o := range map[string]clustertest.Options{
		"replies before a majority has them": {Eager: true},
		"reads without a lease":              {FrozenClocks: true},
		"no undo":                            {Prepare: (*cluster.Node).SkipUndo},
		"entries of any term":                {Prepare: (*cluster.Node).SkipTerms},
	} {
		t.Run(name, func(t *testing.T) {
			progress := clustertest.Watchdog(t)
			const enough = 20
			for i := range enough {
				o.Nodes, o.Seed = 3, first(t)+uint64(i)
				if wrong := run(t, progress, worldOptions{Options: o, clients: 8, lasts: time.Minute}); wrong != "" {
					t.Logf("seed %d: %.200s", o.Seed, wrong)
					return
				}
			}
			require.Fail(t, "nobody has found the fault", "in %d seeds", enough)
		})
	}
}
