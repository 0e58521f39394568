package cluster

import (
	"slices"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

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
			all = append(all, string(roster.RaftAddress(v.Nodes[i])))
		}
	}
	return all
}

// leaderOf returns the peer address of the leader; "" if no other node leads.
func leaderOf(v *topology.View) string {
	i := v.LeaderOf(0)
	if i < 0 || i == v.Self || v.State == topology.Down {
		return ""
	}
	return string(roster.RaftAddress(v.Nodes[i]))
}
