package cluster

import (
	"testing"
	"time"

	"cellserver/cluster/roster"

	"github.com/stretchr/testify/require"
)

// A node votes after its own cluster-node-timeout. If that is shorter than the one of the leader, the lease of the leader ends
// before it, and the log and cluster-check say that the values differ.
func TestTheShortestTimeoutBoundsTheLease(t *testing.T) {
	for _, shorter := range []bool{false, true} {
		inWorld(t, 3, func(w *world) {
			w.form(w.machines...)
			leader := w.leader()
			other := w.other(leader)
			if shorter {
				other.stop()
				other.change = func(o *Options) { o.NodeTimeout = 250 * time.Millisecond }
				other.start(w.machines...)
				w.awaitVoters(w.machines...)
			}
			time.Sleep(3 * time.Second)
			require.Same(t, leader, w.leader())
			require.NoError(t, leader.set("a", 1))
			w.net.cut(leader.host, true)
			time.Sleep(300 * time.Millisecond)
			mark := leader.Mark()
			require.NotZero(t, leader.Epoch())
			require.Equal(t, !shorter, leader.Wait(mark), "a reply from the memory of a leader that is cut off")
			check := require.NotContains
			if shorter {
				check = require.Contains
			}
			for _, m := range w.machines {
				check(t, m.log.String(), "cluster-node-timeout differs on two nodes")
				check(t, roster.Describe(m.State()), "set the same cluster-node-timeout on every node: it is ")
			}
		})
	}
}
