package cluster

import "cellserver/internal/topology"

// Memory returns the bytes of the changes that no majority has confirmed yet.
func (n *Node) Memory() int64 { return n.queue.Memory() }

// Metrics returns the numbers of the node. It implements [commands.Topology].
func (n *Node) Metrics() topology.Metrics {
	c := &n.counts
	m := topology.Metrics{
		Leads: n.current.Load() != 0, Applied: n.applied.Load(), EpochChanges: int64(n.changes.Load()), Undone: c.undone.Load(),
		LeaseMisses: c.leaseMisses.Load(), Entries: c.entries.Load(), EntryBytes: c.bytes.Load(), Dropped: c.dropped.Load(),
		Duration: c.duration.Load(), Knows: n.knows(),
	}
	for i := range c.latency {
		m.Latency[i] = c.latency[i].Load()
	}
	if r := n.raft.Load(); r != nil {
		m.Term, m.Commit = r.CurrentTerm(), r.CommitIndex()
		m.LagEntries = r.LastIndex() - min(r.LastIndex(), m.Applied)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	m.LagBytes, m.Level = n.queue.Bytes(), n.level
	return m
}
