package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"cellserver/cluster/pending"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

var errGivesWay = errors.New("this node gives way to another")

// GiveWay lets another node lead. With an empty id, raft chooses the node with the newest log. A node with
// an id first gets the entries that it lacks. Meanwhile this node still serves clients. Then no command runs
// here, but the replies that wait still leave. If no other node takes over, this node continues to lead.
func (n *Node) GiveWay(id string) error {
	to, err := n.successor(id)
	if err != nil {
		return err
	}
	if to != nil && n.current.Load() != 0 {
		if err := n.awaitSuccessor(id); err != nil {
			return err
		}
	}
	term, err := n.stopCommands()
	if err != nil {
		return err
	}
	defer n.failEpoch(term, errGivesWay)
	n.drain()
	if err = n.transfer(to); err != nil && n.deposedSoon(term) {
		return nil // raft gave up before the votes came
	}
	return err
}

// transfer makes raft let another node lead; nil is any node.
func (n *Node) transfer(to *raft.Server) error {
	r := n.raft.Load()
	if to == nil {
		return n.await(r.LeadershipTransfer())
	}
	return n.await(r.LeadershipTransferToServer(to.ID, to.Address))
}

// deposedSoon waits for at most half a NodeTimeout until this node does not lead any more. The other node
// may have begun its election late.
func (n *Node) deposedSoon(term uint64) bool {
	patience := time.After(n.o.NodeTimeout / 2)
	ticker := time.NewTicker(n.o.NodeTimeout / 50)
	defer ticker.Stop()
	for n.leads() == term {
		select {
		case <-ticker.C:
		case <-patience:
			return false
		case <-n.gone:
			return false
		}
	}
	return true
}

// successor returns the server that is to lead; nil if any may.
func (n *Node) successor(id string) (*raft.Server, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s, ok := n.roster.Voter(id); ok {
		return &s, nil
	}
	if id == "" {
		return nil, nil
	}
	return nil, errNoVoter(id)
}

// awaitSuccessor waits until a node has what is committed by now. It gives up after two NodeTimeouts without
// progress.
func (n *Node) awaitSuccessor(id string) error {
	v := n.View()
	at := v.Find(id)
	if at < 0 {
		return errNoVoter(id)
	}
	return n.awaitApplied(v.Nodes[at], n.raft.Load().CommitIndex(), 2*n.o.NodeTimeout)
}

func errNoVoter(id string) error {
	return errors.New("node " + id + " does not vote: see CLUSTER NODES")
}

// stopCommands lets no further command run, but does not end the epoch.
func (n *Node) stopCommands() (term uint64, err error) {
	tx := n.lockAll()
	defer tx.End()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current.Load() == 0 {
		return 0, errNotLeader
	}
	n.current.Store(0)
	n.epoch.resting = true
	n.offered = n.epoch.term
	return n.epoch.term, nil
}

// drain waits until all waiting replies have left, for at most one NodeTimeout.
func (n *Node) drain() {
	patience := time.After(n.o.NodeTimeout)
	for {
		result := make(chan bool, 1)
		if !n.awaitLast(func(safe bool) { result <- safe }) {
			return
		}
		select {
		case safe := <-result:
			if !safe {
				return
			}
		case <-patience:
			return
		}
	}
}

// awaitLast calls done when the last batch is committed. It reports false if no batch and no reply waits.
func (n *Node) awaitLast(done func(safe bool)) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.epoch.serving || n.queue.Empty() && len(n.waiters) == 0 {
		return false
	}
	last := n.queue.Begun()
	if k := len(n.waiters); k > 0 {
		last = max(last, n.waiters[k-1].Need)
	}
	n.wait(pending.Waiter{Need: last, Done: done})
	return true
}

// Stop stops the node as planned: a leader gives way first, so that all replies leave.
func (n *Node) Stop() error {
	if n.current.Load() != 0 && len(n.View().Nodes) > 1 {
		if err := n.GiveWay(""); err != nil {
			n.log.Warn("no other node takes over, so this node stops while it leads", "error", err)
		}
	}
	return n.Close()
}

var errNoProgress = errors.New("it answers, and makes no progress")

// awaitApplied waits until a node has applied an entry. It gives up after some time without progress.
func (n *Node) awaitApplied(k topology.Node, index uint64, patience time.Duration) error {
	if n.o.Peers == nil {
		return errAlone
	}
	ticker := time.NewTicker(n.o.NodeTimeout / 4)
	defer ticker.Stop()
	last, since := uint64(0), n.o.Clock.Monotonic()
	for {
		at, err := n.o.Peers.Applied(k)
		now := n.o.Clock.Monotonic()
		switch {
		case err == nil && at >= index:
			return nil
		case err == nil && at > last:
			last, since = at, now
		case now-since > int64(patience):
			return fmt.Errorf("node %s gets no data: its last entry is %d of %d: start it, or remove it by CLUSTER FORGET (%v)", k.ID, last, index, cmp.Or(err, errNoProgress))
		}
		select {
		case <-ticker.C:
		case <-n.gone:
			return errUnknown
		}
	}
}
