package cluster

import (
	"slices"

	"cellserver/internal/topology"
)

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
