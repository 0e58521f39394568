package group

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

var errGivesWay = errors.New("this node gives way to another")

// GiveWay lets another node lead. With an empty id, raft chooses the node with the newest log. A node with
// an id first gets the entries that it lacks. Meanwhile this node still serves clients. Then no command runs
// here, but the replies that wait still leave. If no other node takes over, this node continues to lead.
func (g *Group) GiveWay(id string) error {
	to, err := g.successor(id)
	if err != nil {
		return err
	}
	if to != nil && g.current.Load() != 0 {
		if err := g.awaitSuccessor(id); err != nil {
			return err
		}
	}
	term, err := g.stopCommands()
	if err != nil {
		return err
	}
	defer g.failEpoch(term, errGivesWay)
	g.drain()
	if err = g.transfer(to); err != nil && g.deposedSoon(term) {
		return nil // raft gave up before the votes came
	}
	return err
}

// transfer makes raft let another node lead; nil is any node.
func (g *Group) transfer(to *raft.Server) error {
	r := g.raft.Load()
	if to == nil {
		return g.await(r.LeadershipTransfer())
	}
	return g.await(r.LeadershipTransferToServer(to.ID, to.Address))
}

// deposedSoon waits for at most half a NodeTimeout until this node does not lead any more. The other node
// may have begun its election late.
func (g *Group) deposedSoon(term uint64) bool {
	patience := time.After(g.o.NodeTimeout / 2)
	ticker := time.NewTicker(g.o.NodeTimeout / 50)
	defer ticker.Stop()
	for g.leads() == term {
		select {
		case <-ticker.C:
		case <-patience:
			return false
		case <-g.gone:
			return false
		}
	}
	return true
}

// successor returns the server that is to lead; nil if any may.
func (g *Group) successor(id string) (*raft.Server, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s, ok := g.roster.Voter(id); ok {
		return &s, nil
	}
	if id == "" {
		return nil, nil
	}
	return nil, errNoVoter(id)
}

// awaitSuccessor waits until a node has what is committed by now. It gives up after two NodeTimeouts without
// progress.
func (g *Group) awaitSuccessor(id string) error {
	v := g.View()
	at := v.Find(id)
	if at < 0 {
		return errNoVoter(id)
	}
	return g.awaitApplied(v.Nodes[at], g.raft.Load().CommitIndex(), 2*g.o.NodeTimeout)
}

func errNoVoter(id string) error {
	return errors.New("node " + id + " does not vote: see CLUSTER NODES")
}

// stopCommands lets no further command run, but does not end the epoch.
func (g *Group) stopCommands() (term uint64, err error) {
	tx := g.lockAll()
	defer tx.End()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current.Load() == 0 {
		return 0, errNotLeader
	}
	g.current.Store(0)
	g.epoch.resting = true
	g.offered = g.epoch.term
	return g.epoch.term, nil
}

// drain waits until all waiting replies have left, for at most one NodeTimeout.
func (g *Group) drain() {
	patience := time.After(g.o.NodeTimeout)
	for {
		result := make(chan bool, 1)
		if !g.awaitLast(func(safe bool) { result <- safe }) {
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
func (g *Group) awaitLast(done func(safe bool)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.epoch.serving || g.queue.isEmpty() && len(g.waiters) == 0 {
		return false
	}
	last := g.queue.begun.Load()
	if k := len(g.waiters); k > 0 {
		last = max(last, g.waiters[k-1].need)
	}
	g.wait(waiter{need: last, done: done})
	return true
}

// Stop stops the node as planned: a leader gives way first, so that all replies leave.
func (g *Group) Stop() error {
	if g.current.Load() != 0 && len(g.View().Nodes) > 1 {
		if err := g.GiveWay(""); err != nil {
			g.log.Warn("no other node takes over, so this node stops while it leads", "error", err)
		}
	}
	return g.Close()
}

var errNoProgress = errors.New("it answers, and makes no progress")

// awaitApplied waits until a node has applied an entry. It gives up after some time without progress.
func (g *Group) awaitApplied(k topology.Node, index uint64, patience time.Duration) error {
	if g.o.Peers == nil {
		return errAlone
	}
	ticker := time.NewTicker(g.o.NodeTimeout / 4)
	defer ticker.Stop()
	last, since := uint64(0), g.o.Clock.Monotonic()
	for {
		at, err := g.o.Peers.Applied(k)
		now := g.o.Clock.Monotonic()
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
		case <-g.gone:
			return errUnknown
		}
	}
}
