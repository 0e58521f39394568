package commands

import "fmt"

// tally counts fast commands of one kind that a client runs one after the other, to be entered
// together: reading the clock, and adding to counters that all clients share, takes longer than
// many of them. The first of a kind is always timed by itself.
type tally struct {
	cmd *Command // the last one that ran in this batch
	n   int64    // how many of it are still to be entered
}

// mostTallied is how many commands share one reading of the clock at most; each then took the
// average of them.
const mostTallied = 16

// tallies reports whether a command about to run need not be timed by itself. What cannot be
// entered together with it is entered first.
func (c *Client) tallies(cmd *Command) bool {
	t := &c.tally
	if t.cmd == cmd && t.n < mostTallied && cmd.Flags&Fast != 0 && c.server.slow.above.Load() >= tallyBelow {
		return true
	}
	c.settle()
	t.cmd = cmd
	return false
}

// tallyBelow is the shortest duration in nanoseconds that SLOWLOG or LATENCY may ask for without
// every command being timed by itself.
const tallyBelow = 1_000_000

// settle enters what was tallied, and the changes of the keyspace.
func (c *Client) settle() {
	c.tx.CountChanges()
	t := &c.tally
	if t.n == 0 {
		return
	}
	now := c.server.Clock.Monotonic()
	took, n := now-c.lapse, t.n
	c.lapse, t.n = now, 0
	c.server.statsOf(t.cmd).add(n, took)
	if took >= c.server.slow.above.Load() {
		which := fmt.Appendf(nil, "(one of %d in a pipeline)", n)
		c.server.noteSlow(&Call{Cmd: t.cmd, Args: [][]byte{[]byte(t.cmd.Name), which}, Now: c.now, Client: c, Server: c.server}, took)
	}
}

// add counts n calls that took some nanoseconds together.
func (st *stats) add(n, took int64) {
	st.calls.Add(n)
	st.nanos.Add(took)
	st.took[durationBucket(took/n)].Add(n)
}
