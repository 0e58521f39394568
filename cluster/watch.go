package cluster

import (
	"slices"
	"time"

	"cellserver/cluster/group"
	"cellserver/internal/topology"
)

// watch follows the changes of the cluster until the cluster removes the node, or its disk fails. Then it
// ends this life of the node, and prepares the next one. It returns an error if the member stops. The ticker
// is for addresses of nodes.
func (m *Member) watch() error {
	tick := time.Tick(group.AskInterval)
	for old := m.outside.View(); ; {
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case id := <-m.removed:
			if id == m.group.Load().Self().ID {
				return m.leave()
			}
		case d := <-m.broken:
			if d == m.disk() {
				return m.heal()
			}
		case <-m.group.Load().Changed():
		case <-tick:
		}
		now := m.View()
		if now == old || same(old, now) {
			continue
		}
		leader := leaderOf(now)
		if now.State == topology.Down {
			leader = ""
		}
		m.place.ledFor(leaderID(now), m.o.Clock.Monotonic())
		m.sender.To(peersOf(now))
		m.proxy.Lead(leader)
		if last := m.vitals.replace(old, now, m.o.Clock.Monotonic()); last != nil {
			m.working.Go(func() { m.askVital(*last) })
		}
		m.o.Changed(old, now)
		old = now
	}
}

// same reports whether two views have the same nodes, the same leader and the same state.
func same(a, b *topology.View) bool {
	return a.State == b.State && a.LeaderOf(0) == b.LeaderOf(0) && a.Self == b.Self &&
		slices.EqualFunc(a.Nodes, b.Nodes, func(x, y topology.Node) bool {
			x.Applied, x.Healthy = y.Applied, y.Healthy
			return x == y
		})
}

// leaderID returns the id of the leader, "" if no node leads.
func leaderID(v *topology.View) string {
	if k := v.Leader(); k != nil {
		return k.ID
	}
	return ""
}

// peersOf returns the peer addresses of the other nodes.
func peersOf(v *topology.View) (all []string) {
	for i := range v.Nodes {
		if i != v.Self {
			all = append(all, v.Nodes[i].Address().Peer())
		}
	}
	return all
}

// leaderOf returns the peer address of the last known leader; "" if that is this node, or no other one is
// known.
func leaderOf(v *topology.View) string {
	i := v.LeaderOf(0)
	if i < 0 || i == v.Self {
		return ""
	}
	return v.Nodes[i].Address().Peer()
}
