package member

import (
	"slices"
	"time"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// watch follows the changes of the cluster until the cluster removes this node. It returns an error if the member stops.
// The ticker is for addresses of nodes.
func (m *Member) watch() error {
	ticker := time.NewTicker(askInterval)
	defer ticker.Stop()
	for old := m.outside; ; {
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case id := <-m.removed:
			if id == m.node.Load().Self().ID {
				return nil
			}
		case <-m.node.Load().Changed():
		case <-ticker.C:
		}
		now := m.View()
		if now == old || same(old, now) {
			continue
		}
		m.place.ledFor(leaderID(now), m.o.Clock.Monotonic())
		m.sender.To(peersOf(now))
		m.proxy.Lead(leaderOf(now))
		m.o.Changed(old, now)
		old = now
	}
}

// same reports whether two views have the same nodes, the same leader and the same state.
func same(a, b *topology.View) bool {
	return a.State == b.State && a.LeaderOf(0) == b.LeaderOf(0) && a.Self == b.Self && slices.EqualFunc(a.Nodes, b.Nodes, func(x, y topology.Node) bool {
		x.Applied, x.Healthy = y.Applied, y.Healthy
		return x == y
	})
}

// leaderID returns the id of the leader, "" if no node leads.
func leaderID(v *topology.View) string {
	if i := v.LeaderOf(0); i >= 0 && v.State != topology.Down {
		return v.Nodes[i].ID
	}
	return ""
}

// peersOf returns the peer addresses of the other nodes.
func peersOf(v *topology.View) (all []string) {
	for i := range v.Nodes {
		if i != v.Self {
			all = append(all, string(roster.Address(v.Nodes[i])))
		}
	}
	return all
}

// diskFailed ends the part of this node in the cluster.
func (m *Member) diskFailed(err error) {
	if n := m.node.Load(); n != nil {
		n.Fail(err)
	} else {
		m.refuse(err)
	}
}
