package cluster

import (
	"cmp"
	"context"
	"slices"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// State says how the cluster is, as far as this node knows.
func (m *Member) State() *roster.State {
	m.place.mu.Lock()
	s := &roster.State{Self: m.place.standing.ID, Cluster: m.place.standing.Cluster, Waiting: m.place.waiting}
	m.place.mu.Unlock()
	s.Fault = m.disk().fault()
	g := m.taking()
	if g == nil {
		s.Cluster = ""
		return s
	}
	v, numbers := m.View(), m.Metrics()
	s.Term, s.Applied, s.Commit = numbers.Term, numbers.Applied, numbers.Commit
	s.Joining, s.MaxSkew, s.Feature, s.Dropped = v.State == topology.Joining, m.o.MaxSkew.Milliseconds(),
		int(numbers.Level), numbers.Missed
	s.Numbers = roster.Numbers{
		Lag: numbers.LagBytes, Commits: numbers.Commits(),
		Half: numbers.Within(0.5), Most: numbers.Within(0.99),
		Epochs: numbers.EpochChanges, Undone: numbers.Undone, Misses: numbers.LeaseMisses,
	}
	s.Log, s.Stuck = numbers.LogBytes, numbers.LogGrows
	s.Leader = leaderID(v)
	s.Since = m.place.ledFor(s.Leader, m.o.Clock.Monotonic()) / 1e6
	for i := range v.Nodes {
		s.Nodes = append(s.Nodes, m.nodeState(v, i))
	}
	slices.SortFunc(s.Nodes, func(a, b roster.NodeState) int { return cmp.Compare(a.Address, b.Address) })
	return s
}

// nodeState says how one node is.
func (m *Member) nodeState(v *topology.View, i int) roster.NodeState {
	k := &v.Nodes[i]
	s := roster.NodeState{ID: k.ID, Address: k.Address().Client(), Zone: k.Zone, Voter: k.Voter,
		Leaving: m.group.Load().IsGone(k.ID)}
	if i == v.Self {
		s.Known, s.Applied, s.Feature, s.Release = true, v.Applied(i), group.FeatureLevel, m.o.Release
		s.Timeout = m.o.NodeTimeout.Milliseconds()
		s.Fault = m.disk().fault()
		return s
	}
	of := m.vitals.get(k.ID)
	if !of.answers() {
		s.Silent, s.Why = max(1, (m.o.Clock.Monotonic()-max(of.heard, of.asked))/1e6), of.why
	}
	if of.heard > 0 {
		s.Known, s.Applied, s.Feature, s.Release, s.Fault = true, of.Applied, of.Feature, of.Release, of.Fault
		s.Skew, s.Timeout, s.Stuck = of.skew/1e6, of.Timeout, of.stuck
	}
	return s
}

// Check asks the node at an address how its cluster is, and describes it. The address is one of
// cluster-nodes. whole says whether all nodes answer and take part.
func Check(ctx context.Context, s *peer.Security, address string) (text string, whole bool, err error) {
	at, err := topology.ParseAddress(address)
	if err != nil {
		return "", false, err
	}
	ctx, stop := context.WithTimeout(ctx, callPatience)
	defer stop()
	state, err := (&peer.Dialer{Security: s}).State(ctx, at.Peer())
	if err != nil {
		return "", false, err
	}
	return roster.Describe(state), state.Whole(), nil
}
