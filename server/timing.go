package server

import (
	"fmt"

	"cellserver/commands"
)

// timing measures commands. Fast commands of one kind that follow each other are timed in
// groups, because a reading of the clock and the shared counters cost more than many of
// them. The first command of a kind is always timed alone.
type timing struct {
	since int64             // monotonic time at which the last command ended, or the batch began
	cmd   *commands.Command // the last command of this batch
	n     int64             // its calls that are not counted yet
}

// maxGroup is the most commands that share one reading of the clock. Each counts as the average.
const maxGroup = 16

// groupBelow is the shortest duration in nanoseconds that SLOWLOG or LATENCY may ask for without
// every command being timed alone.
const groupBelow = 1_000_000

// groups reports whether a command that is about to run joins a group. If it does not, groups
// counts the group before it.
func (c *Client) groups(cmd *commands.Command) bool {
	t := &c.timing
	if t.cmd == cmd && t.n < maxGroup && cmd.Flags&commands.Fast != 0 && c.server.slow.Above() >= groupBelow {
		return true
	}
	c.settle()
	t.cmd = cmd
	return false
}

// settle counts the group, and the changes of the keyspace.
func (c *Client) settle() {
	if c.tx.CountChanges() {
		c.changed = true
	}
	t := &c.timing
	if t.n == 0 {
		return
	}
	s := c.server
	now := s.parts.Clock.Monotonic()
	took, n := now-t.since, t.n
	t.since, t.n = now, 0
	s.stats.Commands.Of(t.cmd).Add(n, took)
	if took >= s.slow.Above() {
		which := fmt.Appendf(nil, "(one of %d in a pipeline)", n)
		group := commands.Call{Cmd: t.cmd, Args: [][]byte{[]byte(t.cmd.Name), which}, Now: c.conn.Now, Conn: &c.conn}
		s.slow.Note(&group, c.entry.Addr(), s.Config(), took)
	}
}

// account counts a command that is done and was timed alone.
func (c *Client) account(call *commands.Call) {
	s := c.server
	now := s.parts.Clock.Monotonic()
	took := now - c.timing.since + call.Slept
	c.timing.since = now
	s.stats.Commands.Of(call.Cmd).Add(1, took)
	if took >= s.slow.Above() {
		s.slow.Note(call, c.entry.Addr(), s.Config(), took)
	}
}
