package group

import (
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// View returns the cluster as this node sees it.
func (g *Group) View() *topology.View { return g.view.Load() }

// updateView makes the view again.
func (g *Group) updateView() {
	var leader raft.ServerID
	var term uint64
	if r := g.raft.Load(); r != nil {
		if r.State() != raft.Candidate { // raft may still name the leader that asked this node to lead
			_, leader = r.LeaderWithID()
		}
		term = r.CurrentTerm()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current.Load() == 0 && !g.queue.isEmpty() {
		// No client may read until the effects that were not committed are undone.
		leader = raft.ServerID(g.o.Self.ID)
	}
	v := g.roster.View(string(leader), term, g.applied.Load())
	v.State = g.state(leader, v.Nodes[v.Self].Voter)
	v.Fresh = g.fresh.until(g.applied.Load(), g.o.NodeTimeout)
	old := g.view.Swap(v)
	if old == nil || old.State != v.State || old.LeaderOf(0) != v.LeaderOf(0) ||
		len(old.Nodes) != len(v.Nodes) {
		select {
		case g.changed <- struct{}{}:
		default: // the reader will look anyway
		}
	}
}

// state returns whether this node can serve commands on keys. mu is held.
func (g *Group) state(leader raft.ServerID, votes bool) topology.State {
	leads := string(leader) == g.o.Self.ID
	switch {
	case g.broken.Load():
		return topology.Down
	case g.hidden.Load() || !votes:
		return topology.Joining
	case leader == "" || leads != (g.current.Load() != 0):
		return topology.Down
	}
	return topology.OK
}

// noteSilent notes whether a node replies to this leader.
func (g *Group) noteSilent(id raft.ServerID, silent bool) {
	g.mu.Lock()
	g.roster.Silent(id, silent)
	g.mu.Unlock()
	g.wakeUp() // run makes the view again
}

// hide notes whether the keys are incomplete. While they are, no client may read them.
func (g *Group) hide(hidden bool) {
	g.hidden.Store(hidden)
	g.updateView()
}

// changeRoster applies an entry about a node.
func (g *Group) changeRoster(change func() error) error {
	defer g.updateView()
	g.mu.Lock()
	defer g.mu.Unlock()
	return change()
}
