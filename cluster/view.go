package cluster

import (
	"cmp"
	"slices"

	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// View returns the cluster as this node sees it. It implements [commands.Topology].
func (n *Node) View() *topology.View { return n.view.Load() }

// Applied returns the index of the last entry that this node has applied.
func (n *Node) Applied() uint64 { return n.applied.Load() }

// updateView makes the view again.
func (n *Node) updateView() {
	var leader raft.ServerID
	var term uint64
	if r := n.raft.Load(); r != nil {
		_, leader = r.LeaderWithID()
		term = r.CurrentTerm()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	v := &topology.View{Self: -1}
	for _, s := range n.members.servers {
		v.Nodes = append(v.Nodes, n.members.node(s))
	}
	if !slices.ContainsFunc(v.Nodes, func(k topology.Node) bool { return k.ID == n.o.Self.ID }) {
		self := n.members.self
		self.Healthy = true
		v.Nodes = append(v.Nodes, self)
	}
	slices.SortFunc(v.Nodes, func(a, b topology.Node) int { return cmp.Compare(a.ID, b.ID) })
	v.Self = indexOf(v.Nodes, n.o.Self.ID)
	v.State = n.state(leader, v.Nodes[v.Self].Voter)
	v.Groups = []topology.Group{n.group(v, string(leader), term)}
	n.view.Store(v)
}

func indexOf(nodes []topology.Node, id string) int {
	return slices.IndexFunc(nodes, func(k topology.Node) bool { return k.ID == id })
}

// state returns whether this node can serve commands on keys. mu is held.
func (n *Node) state(leader raft.ServerID, votes bool) topology.State {
	leads := string(leader) == n.o.Self.ID
	switch {
	case n.broken.Load():
		return topology.Down
	case n.hidden || !votes:
		return topology.Joining
	case leader == "" || leads != (n.current.Load() != 0):
		return topology.Down
	case !leads && len(n.queue.batches) > 0:
		return topology.Down // what is not committed is to be taken back
	}
	return topology.OK
}

// group returns the one group. During an election the last leader stays. mu is held.
func (n *Node) group(v *topology.View, leader string, term uint64) topology.Group {
	g := topology.Group{Last: store.Slots - 1, Term: term, Applied: n.applied.Load()}
	if leader != "" {
		n.members.leader = leader
	}
	g.Leader = indexOf(v.Nodes, n.members.leader)
	for i := range v.Nodes {
		if i != g.Leader {
			g.Replicas = append(g.Replicas, i)
		}
	}
	return g
}

// hide says whether the keys are incomplete, so that nobody may read them.
func (n *Node) hide(hidden bool) {
	n.mu.Lock()
	n.hidden = hidden
	n.mu.Unlock()
	n.updateView()
}
