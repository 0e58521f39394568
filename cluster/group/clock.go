package group

import (
	"sync/atomic"
	"time"
)

// clusterClock is the time of the log. An entry has the time of its last command, and not the time at which
// it is proposed. An entry may wait long for its proposal, and the commands of later entries may have run
// before that.
type clusterClock struct {
	source Clock
	// of the last entry that this node has begun, in Unix nanoseconds; written with Group.mu held
	last atomic.Int64
	log  atomic.Int64 // the time of the last applied entry
}

// late is how long a command may take between reading the clock and locking its keys. A node removes expired
// keys by itself only after that time. So a command that needs at most this time finds no key that another
// node has already removed.
const late = 100 * time.Millisecond

// reach returns the time of an entry with a change that was made at t. It is never earlier than the time of
// the previous entry.
func (c *clusterClock) reach(t int64) int64 {
	if last := c.last.Load(); t <= last {
		return last // most transactions of a turn have the same time
	}
	c.last.Store(t)
	return t
}

// lead makes the time go on evenly from that of the log, as a node begins to lead. The clock of the machine may
// be far behind it: that of a former leader was wrong. If the time stood still until the clock has caught up,
// no limit would recover, and no key would expire. It returns by how many nanoseconds the log is ahead.
func (c *clusterClock) lead(log int64) (gap int64) {
	gap = c.source.Continue(max(log, c.last.Load()))
	c.reach(log)
	return gap
}

// next returns the time of an entry that begins now.
func (c *clusterClock) next() int64 { return c.reach(c.source.Now()) }

// ofFollowers returns the time at which followers show keys.
func (c *clusterClock) ofFollowers() int64 { return max(0, c.log.Load()-int64(late)) }
