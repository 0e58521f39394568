package cluster

import (
	"sync/atomic"
	"time"
)

// clusterClock is the time of the log: that of the last entry that this node has proposed or applied.
type clusterClock struct {
	source Clock
	last   atomic.Int64 // Unix nanoseconds; written with Node.mu held, or before the node starts
	log    atomic.Int64 // the time of the last applied entry
}

// late is how long a command may take between reading the clock and locking its keys. Only after that time does a node
// remove expired keys by itself. So a command that began before finds no key that other nodes have removed.
const late = 100 * time.Millisecond

// next returns the time of the next entry.
func (c *clusterClock) next() int64 {
	t := max(c.source.Now(), c.last.Load()+1)
	c.last.Store(t)
	return t
}

// atLeast moves the clock to the time of an entry, if it is behind.
func (c *clusterClock) atLeast(t int64) { c.last.Store(max(t, c.last.Load())) }

// Now returns the time for commands in Unix nanoseconds. On a leader it is never before the time of an entry. On a
// follower it is the time of the log, so a reader finds every key that a leader may still find.
func (n *Node) Now() int64 {
	if n.current.Load() != 0 {
		return max(n.clock.source.Now(), n.clock.last.Load())
	}
	return n.Horizon()
}

// Horizon returns the time up to which each node may remove expired keys by itself, in Unix nanoseconds.
func (n *Node) Horizon() int64 { return max(0, n.clock.log.Load()-int64(late)) }
