package group

import (
	"errors"
	"fmt"
	"time"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// Meet adds the node at an address of clients. It waits until the node has the data and votes. It implements
// [commands.Topology].
func (g *Group) Meet(host string, port int) error {
	if g.o.Peers == nil {
		return errAlone
	}
	k, err := g.o.Peers.Hello(host, port)
	if err != nil {
		return err
	}
	return g.Add(k)
}

// Add adds a node. It waits until the node has the data and votes. Only a leader can add a node.
func (g *Group) Add(k topology.Node) error {
	index, err := g.Admit(k)
	if err != nil {
		return err
	}
	if err := g.awaitApplied(k, index, joinPatience); err != nil {
		return err
	}
	return g.Promote(k.ID)
}

// Admit adds a node that gets the data and does not vote yet. It returns the index of the entry that the
// node must have before it votes. Only a leader can admit a node. Admit removes a node that had the same
// address before, because the disk of that node is lost.
func (g *Group) Admit(k topology.Node) (index uint64, err error) {
	err = g.oneByOne(func() error {
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
		return 0, fmt.Errorf("the cluster works at feature level %d, and node %s knows level %d: install the newer release there", level, k.ID, k.Features)
	}
	for _, old := range g.at(roster.RaftAddress(k)) {
		if string(old) == k.ID {
			continue
		}
		if err := g.forget(string(old)); err != nil {
			return 0, err
		}
	}
	if !g.Knows(k) {
		if err := g.Announce(k); err != nil {
			return 0, err
		}
	}
	r := g.raft.Load()
	if s, ok := g.server(k.ID); ok && s.Address == roster.RaftAddress(k) {
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
	return g.oneByOne(func() error {
		s, ok := g.server(id)
		switch {
		case !ok:
			return errors.New("the cluster does not know this node: it must join first")
		case g.IsGone(id):
			return errGone(id)
		}
		return g.await(g.raft.Load().AddVoter(s.ID, s.Address, 0, 0))
	})
}

// IsGone reports whether a node is marked as removed from the cluster.
func (g *Group) IsGone(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.roster.IsGone(id)
}

// HasLeft reports whether a node is removed from the cluster, and its vote no longer counts.
func (g *Group) HasLeft(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.roster.HasLeft(id)
}

// Self returns this node as it announces itself.
func (g *Group) Self() topology.Node { return g.o.Self }

// Votes reports whether a node votes.
func (g *Group) Votes(id string) bool {
	s, ok := g.server(id)
	return ok && s.Suffrage == raft.Voter
}

// Knows reports whether the log has announced a node with exactly these fields.
func (g *Group) Knows(k topology.Node) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.roster.Knows(k)
}

func (g *Group) server(id string) (raft.Server, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.roster.Server(id)
}

// at returns the ids of the servers at an address.
func (g *Group) at(address raft.ServerAddress) []raft.ServerID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.roster.At(address)
}

// joinPatience is how long a leader waits for a new node to get the data, while the node makes progress.
const joinPatience = 30 * time.Second
