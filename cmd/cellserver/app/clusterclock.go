package app

import (
	"cellserver/cluster"
	"cellserver/cmd/cellserver/clock"
)

// groupClock is the clock of the machine for a group of a cluster. It implements [group.Clock].
type groupClock struct {
	*clock.Clock
	limit func() int64 // clock-step-limit in nanoseconds
}

// Continue makes the time go on from that of the log.
func (c groupClock) Continue(at int64) (gap int64) { return c.Lead(at, c.limit()) }

// clusterClock is the time of a member of a cluster. It never goes back, even if the clock of the machine
// does. It implements [commands.Clock].
type clusterClock struct {
	*clock.Clock
	member *cluster.Member
}

// Now returns the time of the cluster.
func (c clusterClock) Now() int64 { return c.member.Now() }

// Read returns Now and Monotonic.
func (c clusterClock) Read() (now, monotonic int64) { return c.member.Now(), c.Monotonic() }

// Until returns the nanoseconds until the logical time reaches a time.
func (c clusterClock) Until(unixNano int64) int64 {
	if c.Now() >= unixNano {
		return 0
	}
	return c.Clock.Until(unixNano)
}
