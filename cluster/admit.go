package cluster

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
func (n *Node) Meet(host string, port int) error {
	if n.o.Peers == nil {
		return errAlone
	}
	k, err := n.o.Peers.Hello(host, port)
	if err != nil {
		return err
	}
	return n.Add(k)
}

// Add adds a node. It waits until the node has the data and votes. Only a leader can add a node.
func (n *Node) Add(k topology.Node) error {
	index, err := n.Admit(k)
	if err != nil {
		return err
	}
	if err := n.awaitApplied(k, index, joinPatience); err != nil {
		return err
	}
	return n.Promote(k.ID)
}

// Admit adds a node that gets the data and does not vote yet. It returns the index of the entry that the
// node must have before it votes. Only a leader can admit a node. Admit removes a node that had the same
// address before, because the disk of that node is lost.
func (n *Node) Admit(k topology.Node) (index uint64, err error) {
	err = n.oneByOne(func() error {
		index, err = n.admit(k)
		return err
	})
	return index, err
}

func (n *Node) admit(k topology.Node) (index uint64, err error) {
	if n.IsGone(k.ID) {
		return 0, errGone(k.ID)
	}
	if level := n.Level(); k.Features < int(level) {
		return 0, fmt.Errorf("the cluster works at feature level %d, and node %s knows level %d: install the newer release there", level, k.ID, k.Features)
	}
	for _, old := range n.at(roster.RaftAddress(k)) {
		if string(old) == k.ID {
			continue
		}
		if err := n.forget(string(old)); err != nil {
			return 0, err
		}
	}
	if !n.Knows(k) {
		if err := n.Announce(k); err != nil {
			return 0, err
		}
	}
	r := n.raft.Load()
	if s, ok := n.server(k.ID); ok && s.Address == roster.RaftAddress(k) {
		return r.CommitIndex(), nil
	}
	err = n.await(r.AddNonvoter(raft.ServerID(k.ID), roster.RaftAddress(k), 0, 0))
	return r.CommitIndex(), err
}

func errGone(id string) error {
	return fmt.Errorf("node %s was removed from the cluster, and its id is never used again", id)
}

// Promote lets a node vote. Only a leader can promote a node.
func (n *Node) Promote(id string) error {
	return n.oneByOne(func() error {
		s, ok := n.server(id)
		switch {
		case !ok:
			return errors.New("the cluster does not know this node: it must join first")
		case n.IsGone(id):
			return errGone(id)
		}
		return n.await(n.raft.Load().AddVoter(s.ID, s.Address, 0, 0))
	})
}

// IsGone reports whether a node is marked as removed from the cluster.
func (n *Node) IsGone(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roster.IsGone(id)
}

// HasLeft reports whether a node is removed from the cluster, and its vote no longer counts.
func (n *Node) HasLeft(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roster.HasLeft(id)
}

// Self returns this node as it announces itself.
func (n *Node) Self() topology.Node { return n.o.Self }

// Votes reports whether a node votes.
func (n *Node) Votes(id string) bool {
	s, ok := n.server(id)
	return ok && s.Suffrage == raft.Voter
}

// Knows reports whether the log has announced a node with exactly these fields.
func (n *Node) Knows(k topology.Node) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roster.Knows(k)
}

func (n *Node) server(id string) (raft.Server, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roster.Server(id)
}

// at returns the ids of the servers at an address.
func (n *Node) at(address raft.ServerAddress) []raft.ServerID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roster.At(address)
}

// joinPatience is how long a leader waits for a new node to get the data, while the node makes progress.
const joinPatience = 30 * time.Second
