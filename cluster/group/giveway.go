package group

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/raft"
)

var errGivesWay = errors.New("this node gives way to another")

// GiveWay lets another node lead. With an empty id, raft chooses the node with the newest log. A node with
// an id first gets the entries that it lacks. Meanwhile this node still serves clients. Then no command runs
// here, but the replies that wait still leave. If no other node takes over, this node continues to lead.
func (g *Group) GiveWay(id string) error {
	to := g.server(id)
	if id != "" {
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

// transfer makes raft let another node lead. A server without an id is any node.
func (g *Group) transfer(to raft.Server) error {
	r := g.raft.Load()
	if to.ID == "" {
		return g.await(r.LeadershipTransfer())
	}
	return g.await(r.LeadershipTransferToServer(to.ID, to.Address))
}

// deposedSoon waits for at most half a NodeTimeout until this node does not lead any more. The other node
// may have begun its election late.
func (g *Group) deposedSoon(term uint64) bool {
	patience := time.After(g.o.NodeTimeout / 2)
	tick := time.Tick(g.o.NodeTimeout / 50)
	for g.leads() == term {
		select {
		case <-tick:
		case <-patience:
			return false
		case <-g.gone:
			return false
		}
	}
	return true
}

// awaitSuccessor waits until a voter has what is committed by now, if this node leads. It gives up after two
// NodeTimeouts without progress.
func (g *Group) awaitSuccessor(id string) error {
	v := g.View()
	at := v.Find(id)
	switch {
	case at < 0 || !g.Votes(id):
		return errors.New("node " + id + " does not vote: see CLUSTER NODES")
	case g.current.Load() == 0:
		return nil
	}
	index, last, since := g.raft.Load().CommitIndex(), uint64(0), g.o.Clock.Monotonic()
	for tick := time.Tick(g.o.NodeTimeout / 4); ; {
		applied, err := g.o.Applied(v.Nodes[at])
		now := g.o.Clock.Monotonic()
		switch {
		case err == nil && applied >= index:
			return nil
		case err == nil && applied > last:
			last, since = applied, now
		case now-since > 2*int64(g.o.NodeTimeout):
			return fmt.Errorf("node %s gets no data: its last entry is %d of %d: start it, wait "+
				"10 seconds if it has just started, or remove it by CLUSTER FORGET (%v)",
				id, last, index, cmp.Or(err, errNoProgress))
		}
		select {
		case <-tick:
		case <-g.gone:
			return errUnknown
		}
	}
}

var errNoProgress = errors.New("it answers, and makes no progress")

// stopCommands lets no further command run, but does not end the epoch. Scripts have half a NodeTimeout to end.
func (g *Group) stopCommands() (term uint64, err error) {
	defer g.scripts.end(g.o.NodeTimeout / 2)()
	tx := g.lockAll()
	defer tx.End()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current.Load() == 0 {
		return 0, errNotLeader
	}
	g.current.Store(0)
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
