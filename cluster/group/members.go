package group

import (
	"errors"
	"fmt"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// Admit adds a node that gets the data and does not vote yet. It returns the index of the entry that the
// node must have before it votes. Only a leader can admit a node. Admit removes a node that had the same
// address before, because the disk of that node is lost. The new node must answer at that address.
func (g *Group) Admit(k topology.Node) (index uint64, err error) {
	err = g.changeMembers(func() error {
		index, err = g.admit(k)
		return err
	})
	return index, err
}

func (g *Group) admit(k topology.Node) (index uint64, err error) {
	if g.IsGone(k.ID) {
		return 0, errGone(k.ID)
	}
	if level := g.Level(); k.Features < int(level) {
		return 0, fmt.Errorf("the cluster works at feature level %d, and node %s knows level %d: install "+
			"the newer release there", level, k.ID, k.Features)
	}
	before := see(g, func(r *roster.Roster) []raft.ServerID { return r.At(roster.RaftAddress(k)) })
	for _, old := range before {
		if string(old) == k.ID {
			continue
		}
		if _, err := g.o.Applied(k); err != nil {
			return 0, fmt.Errorf("node %s has this address, and this node does not answer there: "+
				"correct cluster-announce-ip and cluster-announce-bus-port (%w)", old, err)
		}
		if err := g.forget(string(old), true); err != nil {
			return 0, err
		}
	}
	if !g.Knows(k) {
		if err := g.Announce(k); err != nil {
			return 0, err
		}
	}
	r := g.raft.Load()
	if g.server(k.ID).Address == roster.RaftAddress(k) {
		return r.CommitIndex(), nil
	}
	err = g.await(r.AddNonvoter(raft.ServerID(k.ID), roster.RaftAddress(k), 0, 0))
	return r.CommitIndex(), err
}

func errGone(id string) error {
	return fmt.Errorf("node %s was removed from the cluster, and its id is never used again", id)
}

// Promote lets a node vote. Only a leader can promote a node.
func (g *Group) Promote(id string) error {
	return g.changeMembers(func() error {
		s := g.server(id)
		switch {
		case s.ID == "":
			return errors.New("the cluster does not know this node: it must join first")
		case g.IsGone(id):
			return errGone(id)
		}
		return g.await(g.raft.Load().AddVoter(s.ID, s.Address, 0, 0))
	})
}

// see reads the roster.
func see[T any](g *Group, read func(*roster.Roster) T) T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return read(&g.roster)
}

// IsGone reports whether a node is marked as removed from the cluster.
func (g *Group) IsGone(id string) bool {
	return see(g, func(r *roster.Roster) bool { return r.IsGone(id) })
}

// HasLeft reports whether a node is removed from the cluster, and its vote no longer counts.
func (g *Group) HasLeft(id string) bool {
	return see(g, func(r *roster.Roster) bool { return r.HasLeft(id) })
}

// Votes reports whether a node votes.
func (g *Group) Votes(id string) bool {
	return see(g, func(r *roster.Roster) bool { return r.Votes(id) })
}

// Knows reports whether the log has announced a node with exactly these fields.
func (g *Group) Knows(k topology.Node) bool {
	return see(g, func(r *roster.Roster) bool { return r.Knows(k) })
}

// server returns a server by its id. It has no id if the server takes no part.
func (g *Group) server(id string) raft.Server {
	return see(g, func(r *roster.Roster) raft.Server { return r.Server(id) })
}

// Announce tells all nodes where a node is reached. Only a leader can announce a node.
func (g *Group) Announce(k topology.Node) error {
	body, err := roster.Encode(k)
	if err != nil {
		return err
	}
	return g.commit(entry.NodeKnown, body)
}

// commit proposes an entry and waits until it is committed.
func (g *Group) commit(kind entry.Kind, body []byte) error {
	result := make(chan bool, 1)
	if err := g.enqueue(kind, body, func(safe bool) { result <- safe }); err != nil {
		return err
	}
	if !<-result {
		return errUnknown
	}
	return nil
}

// changeMembers makes a change of the members wait until the change before has ended. A node is removed in
// two steps, and must not join between them. If raft loses the lead meanwhile, the next leader may complete
// the change.
func (g *Group) changeMembers(change func() error) error {
	select {
	case g.members <- struct{}{}:
		defer func() { <-g.members }()
	case <-g.gone:
		return errUnknown
	}
	err := change()
	if errors.Is(err, raft.ErrLeadershipLost) || errors.Is(err, raft.ErrNotLeader) {
		return errUnknown
	}
	return err
}
