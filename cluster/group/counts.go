package group

import (
	"math/bits"
	"sync/atomic"

	"cellserver/internal/topology"
)

// counts are what a node counts. Any goroutine may read them.
type counts struct {
	undone      atomic.Int64 // effects that were taken back
	leaseMisses atomic.Int64 // replies that waited for an entry because there was no lease
	entries     atomic.Int64 // entries that this node has proposed
	bytes       atomic.Int64 // their bytes
	dropped     atomic.Int64 // entries that all nodes dropped
	latency     [topology.LatencySteps]atomic.Int64
	duration    atomic.Int64 // of all commits, in nanoseconds
}

func (c *counts) proposed(bytes int) {
	c.entries.Add(1)
	c.bytes.Add(int64(bytes))
}

// committed notes how many nanoseconds an entry took from the proposal until a majority had it.
func (c *counts) committed(nanos int64) {
	step := bits.Len64(uint64(max(nanos, 0) / 1000))
	c.latency[min(step, topology.LatencySteps-1)].Add(1)
	c.duration.Add(max(nanos, 0))
}
