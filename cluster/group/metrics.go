package group

import "cellserver/internal/topology"

// Memory returns the bytes of the changes that no majority has confirmed yet.
func (g *Group) Memory() int64 { return g.queue.memory.Load() }

// Metrics returns the numbers of the node. It implements [commands.Topology].
func (g *Group) Metrics() topology.Metrics {
	c := &g.counts
	m := topology.Metrics{
		Leads: g.current.Load() != 0, Applied: g.applied.Load(), EpochChanges: int64(g.changes.Load()), Undone: c.undone.Load(),
		LeaseMisses: c.leaseMisses.Load(), Entries: c.entries.Load(), EntryBytes: c.bytes.Load(), Dropped: c.dropped.Load(),
		Duration: c.duration.Load(), Knows: g.knows(),
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
