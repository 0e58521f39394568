package cluster

import (
	"fmt"
	"sync"
	"sync/atomic"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// Forget removes a node. It implements [commands.Topology]. Only a leader can remove a node.
func (n *Node) Forget(id string) error {
	return n.oneByOne(func() error { return n.forget(id) })
}

// forget marks a node as removed in the log, and then removes it from raft. If this leader is lost between
// the two steps, or is to be removed itself, the next leader does the second step: see FinishRemovals.
func (n *Node) forget(id string) error {
	if n.current.Load() == 0 {
		return errNotLeader
	}
	if err := n.canSpare(id); err != nil {
		return err
	}
	if err := n.mark(id); err != nil {
		return err
	}
	return n.complete(id)
}

func (n *Node) mark(id string) error {
	body, err := entry.AppendGone(nil, id)
	if err != nil {
		return err
	}
	return n.commit(entry.NodeGone, body)
}

// complete removes a marked node from raft. A leader that is marked itself lets another node lead, and that
// node completes the removal. If a leader removed itself, the cluster would have no leader until an
// election.
func (n *Node) complete(id string) error {
	if id == n.o.Self.ID {
		return n.GiveWay("")
	}
	return n.await(n.raft.Load().RemoveServer(raft.ServerID(id), 0, 0))
}

// canSpare returns an error unless a majority of the other voters answers. Without that majority, the
// cluster would have no leader after the removal.
func (n *Node) canSpare(id string) error {
	if n.o.Peers == nil {
		return nil // there are no other nodes
	}
	v := n.View()
	var asking sync.WaitGroup
	var voters, answering atomic.Int64
	for i := range v.Nodes {
		k := v.Nodes[i]
		if !k.Voter || k.ID == id {
			continue
		}
		voters.Add(1)
		asking.Go(func() {
			if i == v.Self || n.answers(k) {
				answering.Add(1)
			}
		})
	}
	asking.Wait()
	if quorum := voters.Load()/2 + 1; answering.Load() < quorum {
		return fmt.Errorf("%d of the other %d voters answer, but after the removal the cluster needs "+
			"%d: start more of them first",
			answering.Load(), voters.Load(), quorum)
	}
	return nil
}

func (n *Node) answers(k topology.Node) bool {
	_, err := n.o.Peers.Applied(k)
	return err == nil
}

// FinishRemovals removes from raft a node that the log marks as removed, if this node leads. The leader that
// marked the node was lost or gave way, or raft refused the removal. The edge calls FinishRemovals about
// once a second.
func (n *Node) FinishRemovals() {
	if n.leaving() == "" || n.current.Load() == 0 {
		return
	}
	_ = n.oneByOne(func() error {
		id := n.leaving()
		if id == "" {
			return nil // another call has removed it meanwhile
		}
		if err := n.canSpare(id); err != nil {
			return err
		}
		return n.complete(id)
	})
}

func (n *Node) leaving() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roster.Leaving()
}
