package cluster

import (
	"math/bits"
	"sync/atomic"
)

// counts are what a node counts. Any goroutine may read them.
type counts struct {
	undone      atomic.Int64 // effects that were taken back
	leaseMisses atomic.Int64 // replies that waited for an entry because there was no lease
	entries     atomic.Int64 // entries that this node has proposed
	bytes       atomic.Int64 // their bytes
	dropped     atomic.Int64 // entries that did not count
	latency     [latencySteps]atomic.Int64
}

// latencySteps is the number of steps of the histogram. Step i has the commits of less than 2^i microseconds that are in
// no smaller step; the last one has all others.
const latencySteps = 26

func (c *counts) proposed(bytes int) {
	c.entries.Add(1)
	c.bytes.Add(int64(bytes))
}

// committed notes how many nanoseconds an entry took from the proposal until a majority had it.
func (c *counts) committed(nanos int64) {
	step := bits.Len64(uint64(max(nanos, 0) / 1000))
	c.latency[min(step, latencySteps-1)].Add(1)
}

// Metrics are the numbers of a node.
type Metrics struct {
	Term    uint64 // of raft
	Leads   bool   // this node serves clients as the leader
	Applied uint64 // the index of the last applied entry
	Commit  uint64 // the index of the last committed entry that this node knows

	LagEntries uint64 // entries that this node has received and not applied
	LagBytes   int64  // effects that wait for a majority, in bytes

	EpochChanges int64 // epochs that began or ended on this node
	Undone       int64 // effects that were taken back
	LeaseMisses  int64 // replies that waited for an entry because there was no lease
	Entries      int64 // entries that this node has proposed
	EntryBytes   int64 // their bytes
	Dropped      int64 // entries of the log that did not count

	// Latency has the number of commits by their time: step i has those of less than 2^i microseconds.
	Latency [latencySteps]int64
}

// Memory returns the bytes that changes take which no majority has confirmed.
func (n *Node) Memory() int64 { return n.queue.Memory() }

// Metrics returns the numbers of the node.
func (n *Node) Metrics() Metrics {
	c := &n.counts
	m := Metrics{
		Leads: n.current.Load() != 0, Applied: n.applied.Load(), EpochChanges: int64(n.changes.Load()), Undone: c.undone.Load(),
		LeaseMisses: c.leaseMisses.Load(), Entries: c.entries.Load(), EntryBytes: c.bytes.Load(), Dropped: c.dropped.Load(),
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
	m.LagBytes = n.queue.Bytes()
	return m
}
