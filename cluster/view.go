package cluster

import (
	"cellserver/internal/topology"

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
		if r.State() != raft.Candidate { // raft may still name the leader that asked this node to lead
			_, leader = r.LeaderWithID()
		}
		term = r.CurrentTerm()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current.Load() == 0 && !n.queue.Empty() {
		leader = raft.ServerID(n.o.Self.ID) // no client may read until the effects that were not committed are undone
	}
	v := n.roster.View(string(leader), term, n.applied.Load())
	v.State = n.state(leader, v.Nodes[v.Self].Voter)
	v.Fresh = n.fresh.until(n.applied.Load(), n.o.NodeTimeout)
	old := n.view.Swap(v)
	if old == nil || old.State != v.State || old.LeaderOf(0) != v.LeaderOf(0) || len(old.Nodes) != len(v.Nodes) {
		select {
		case n.changed <- struct{}{}:
		default: // the reader will look anyway
		}
	}
}

// Changed has an element after a change of the view that concerns clients: another leader, another state,
// another node.
func (n *Node) Changed() <-chan struct{} { return n.changed }

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
	}
	return topology.OK
}

// noteSilent notes whether a node replies to this leader.
func (n *Node) noteSilent(id raft.ServerID, silent bool) {
	n.mu.Lock()
	n.roster.Silent(id, silent)
	n.mu.Unlock()
	n.wakeUp() // run makes the view again
}

// hide notes whether the keys are incomplete. While they are, no client may read them.
func (n *Node) hide(hidden bool) {
	n.mu.Lock()
	n.hidden = hidden
	n.mu.Unlock()
	n.updateView()
}
