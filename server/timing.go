package server

import (
	"fmt"

	"cellserver/commands"
	"cellserver/server/scripts"
)

// timing measures commands. It measures several fast commands of one kind as a group, because
// reading the clock and adding to shared counters take longer than the commands. It always measures
// the first command of a kind alone.
type timing struct {
	since int64             // monotonic time of the end of the last command, or of the start of the batch
	until int64             // monotonic time at which the batch ends; further commands are for the next one
	cmd   *commands.Command // the last command of this batch
	n     int64             // number of its calls that are not counted yet

	script scripts.Calls // of the running script
}

// maxGroup is the largest number of commands in a group. Each counts with the average duration.
const maxGroup = 16

// groupBelow is a duration in nanoseconds. If SLOWLOG or LATENCY asks for shorter durations, every
// command is measured alone.
const groupBelow = 1_000_000

// batchTime bounds a batch, in nanoseconds: the other clients of an event loop wait for it. A batch
// ends with the command, or the group of commands, that exceeds it.
const batchTime = 5_000_000

// begin begins a batch.
func (t *timing) begin(now int64) { t.since, t.until = now, now+batchTime }

// joinsGroup reports whether a command joins the group.
func (c *Client) joinsGroup(cmd *commands.Command) bool {
	t := &c.timing
	return t.cmd == cmd && t.n < maxGroup && cmd.Flags&commands.Fast != 0 && c.server.slow.Above() >= groupBelow
}

// countGroup counts the calls of the group, and the changes of the keyspace.
func (c *Client) countGroup() {
	if c.tx.CountChanges() {
		c.batch.changed = true
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

// countCall counts a command outside of groups.
func (c *Client) countCall(call *commands.Call) {
	s := c.server
	now := s.parts.Clock.Monotonic()
	took := now - c.timing.since + call.Slept
	c.timing.since = now
	s.stats.Commands.Of(call.Cmd).Add(1, took)
	if took >= s.slow.Above() {
		s.slow.Note(call, c.entry.Addr(), s.Config(), took)
	}
}
