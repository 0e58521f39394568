package group

import (
	"time"

	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// Epoch returns the epoch in which this node leads, 0 if it does not.
func (g *Group) Epoch() uint64 { return g.current.Load() }

// After makes Mark and Begun go on from those of the former group of this server, which has ended. So a turn
// that began in the former group never counts as one of this group, and its replies still need a position.
func (g *Group) After(former *Group) {
	mark := former.Mark()
	g.changes.Store(mark + mark%2)
	g.queue.begun.Store(former.Begun())
}

// Now returns the time for commands in Unix nanoseconds. On a leader it is never before the time of an
// entry. On a follower it is the time of the log, so a reader finds every key that a leader may still find.
// Before the start, when no client may read, it is that of the clock.
func (g *Group) Now() int64 {
	switch {
	case g.current.Load() != 0:
		return max(g.clock.source.Now(), g.clock.last.Load())
	case g.raft.Load() == nil:
		return g.clock.source.Now()
	}
	return g.clock.ofFollowers()
}

// Applied returns the index of the last entry that this node has applied.
func (g *Group) Applied() uint64 { return g.applied.Load() }

// CommittedIn returns the index of the last entry that this node has applied, if it leads in a term of raft;
// otherwise 0. The term is read last: so no entry of a later term counts.
func (g *Group) CommittedIn(term uint64) uint64 {
	index := g.applied.Load()
	if g.raft.Load() == nil || g.leads() != term {
		return 0
	}
	return index
}

// LedBy returns the term in which the node at an address leads this one; 0 if it does not.
func (g *Group) LedBy(leader raft.ServerAddress) uint64 {
	r := g.raft.Load()
	if r == nil {
		return 0
	}
	term := r.CurrentTerm() // before the leader, which Raft forgets before it begins a term
	if now, _ := r.LeaderWithID(); now != leader {
		return 0
	}
	return term
}

// LimitLease notes the shortest NodeTimeout of the other nodes; 0 if none is known. A follower votes after its
// own NodeTimeout, so the lease ends before that.
func (g *Group) LimitLease(shortest time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.patience = g.o.NodeTimeout
	if shortest > 0 {
		g.patience = min(g.patience, shortest)
	}
}

// Changed has an element after a change of the view that concerns clients: another leader, another state,
// another node.
func (g *Group) Changed() <-chan struct{} { return g.changed }

// Self returns this node as it announces itself.
func (g *Group) Self() topology.Node { return g.o.Self }

// TakeSnapshot writes a snapshot to the disk, so that the log before it can be removed.
func (g *Group) TakeSnapshot() error {
	r := g.raft.Load()
	if r == nil {
		return ErrBusy // it still loads what the disk has
	}
	err := g.await(r.Snapshot())
	if g.busy.Swap(false) && err != nil {
		return ErrBusy
	}
	return err
}

// Memory returns the bytes of the changes that no majority has confirmed yet.
func (g *Group) Memory() int64 { return g.queue.memory.Load() }

// Metrics returns the numbers of the node.
func (g *Group) Metrics() topology.Metrics {
	c := &g.counts
	m := topology.Metrics{
		Applied: g.applied.Load(), EpochChanges: int64(g.changes.Load()),
		Undone:      c.undone.Load(),
		LeaseMisses: c.leaseMisses.Load(), Entries: c.entries.Load(), EntryBytes: c.bytes.Load(),
		Dropped:  c.dropped.Load(),
		Duration: c.duration.Load(), Knows: g.knownLevel(),
	}
	for i := range c.latency {
		m.Latency[i] = c.latency[i].Load()
	}
	if r := g.raft.Load(); r != nil {
		m.Term, m.Commit = r.CurrentTerm(), r.CommitIndex()
		m.LagEntries = r.LastIndex() - min(r.LastIndex(), m.Applied)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	m.LagBytes, m.Level = g.queue.bytes, g.level
	return m
}
