package server

import (
	"fmt"

	"cellserver/commands"
	"cellserver/server/scripts"
)

// timing measures commands. It measures several fast commands together, because reading the clock and adding
// to shared counters take longer than the commands. They are of one kind, or of two kinds by turns. It
// always measures the first command of a kind alone.
type timing struct {
	since  int64    // monotonic time of the end of the last command, or of the start of the batch
	until  int64    // monotonic time at which the batch ends; further commands are for the next one
	groups [2]group // the last two kinds of this batch, the newer one first
	n      int64    // number of calls of both that are not counted yet

	script scripts.Calls // of the running script
}

// group is the calls of one command that are not counted yet.
type group struct {
	cmd   *commands.Command // nil for no group
	n     int64
	alone int64 // nanoseconds of the last call that was measured alone
}

// weight returns an estimate of the time of a group's calls. Only the ratio of two weights has a meaning.
func (g *group) weight() float64 { return float64(g.n) * float64(max(g.alone, 1)) }

// maxGroup is the largest number of commands that are measured together. Those of one kind count with their
// average duration.
const maxGroup = 16

// groupBelow is a duration in nanoseconds. If SLOWLOG or LATENCY asks for shorter durations, every
// command is measured alone.
const groupBelow = 1_000_000

// batchTime bounds a batch, in nanoseconds: the other clients of an event loop wait for it. A batch
// ends with the command, or the group of commands, that exceeds it.
const batchTime = 5_000_000

// begin begins a batch.
func (t *timing) begin(now int64) { t.since, t.until = now, now+batchTime }

// joinsGroup returns the group that a fast command joins, nil if the command is measured alone.
func (c *Client) joinsGroup(cmd *commands.Command) *group {
	t := &c.timing
	if t.n >= maxGroup || c.server.slow.Above() < groupBelow {
		return nil
	}
	switch cmd {
	case t.groups[0].cmd:
		return &t.groups[0]
	case t.groups[1].cmd:
		return &t.groups[1]
	}
	return nil
}

// hasUncounted reports whether countGroups has something to count.
func (c *Client) hasUncounted() bool { return c.timing.n > 0 || c.tx.HasUncounted() }

// countGroups counts the calls of both groups, and the changes of the keyspace.
func (c *Client) countGroups() {
	c.batch.changed = c.tx.CountChanges() || c.batch.changed
	t := &c.timing
	if t.n == 0 {
		return
	}
	now := c.server.parts.Clock.Monotonic()
	took, n := now-t.since, t.n
	t.since, t.n = now, 0
	first, second := &t.groups[0], &t.groups[1]
	if first.n == 0 {
		first, second = second, first
	}
	if took >= c.server.slow.Above() {
		c.noteGroups(first, second, n, took)
	}
	if second.n > 0 {
		share := int64(float64(took) * second.weight() / (first.weight() + second.weight()))
		c.countGroup(second, share)
		took -= share
	}
	c.countGroup(first, took)
}

// countGroup counts the calls of one group, which took some nanoseconds in total.
func (c *Client) countGroup(g *group, took int64) {
	c.server.stats.Commands.Of(g.cmd).Add(g.n, took)
	g.n = 0
}

// noteGroups notes n calls that took long together. The server does not know which of them took long.
func (c *Client) noteGroups(first, second *group, n, took int64) {
	which := fmt.Appendf(nil, "(one of %d in a pipeline)", n)
	if second.n > 0 {
		which = fmt.Appendf(nil, "(one of %d in a pipeline with %s)", n, second.cmd.FullName())
	}
	s := c.server
	call := commands.Call{Cmd: first.cmd, Args: [][]byte{[]byte(first.cmd.Name), which}, Now: c.conn.Now, Conn: &c.conn}
	s.slow.Note(&call, c.entry.Addr(), s.Config(), took)
}

// countCall counts a command that was measured alone. The next ones of its kind may join a group.
func (c *Client) countCall(call *commands.Call) {
	s, t := c.server, &c.timing
	now := s.parts.Clock.Monotonic()
	took := now - t.since + call.Slept
	t.since = now
	s.stats.Commands.Of(call.Cmd).Add(1, took)
	if took >= s.slow.Above() {
		s.slow.Note(call, c.entry.Addr(), s.Config(), took)
	}
	switch {
	case t.n > 0: // it is EXEC, and the last commands of its transaction are not counted yet
	case t.groups[0].cmd == call.Cmd:
		t.groups[0].alone = took
	case t.groups[1].cmd == call.Cmd:
		t.groups[1].alone = took
	default:
		t.groups[1], t.groups[0] = t.groups[0], group{cmd: call.Cmd, alone: took}
	}
}
