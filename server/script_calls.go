package server

import (
	"strings"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/scripts"
	"cellserver/server/tracking"
)

// runInScript is [Client.run] for a command of a script.
func (c *Client) runInScript(call *commands.Call) resp.Status {
	if !c.Alone() && call.Long() {
		return resp.Offload
	}
	mark := call.Out.Mark()
	err := c.perform(call)
	v, ended := err.(commands.Verdict)
	if v == commands.TryAgain || v == commands.TakesLong || v == commands.Restart {
		call.Out.Truncate(mark) // the command has begun its reply
		return resp.Status(v)
	}
	text := ""
	if err != nil && !ended {
		text = strings.TrimRight(err.Error(), "\r\n")
		call.Out.Truncate(mark)
		call.Out.Error(text)
	}
	untimed, slow := c.timing.script.Add(call.Cmd, text), c.server.slow.Above()
	if call.Cmd.Flags&commands.Fast == 0 || slow < groupBelow || untimed >= maxGroup {
		if took := c.timeScript(); took >= slow {
			c.server.slow.Note(call, c.entry.Addr(), c.server.Config(), took)
		}
	}
	if c.conn.Tracking.On && call.Cmd.Flags&commands.ReadOnly != 0 && call.Tx != nil && c.conn.Tracking.Wants() {
		tracking.NoteReads(call)
	}
	if c.server.monitors.On() {
		c.show(call)
	}
	if c.timing.script.Full() {
		c.countScript()
	}
	return resp.Status(v)
}

// Refuse implements [commands.Runner].
func (c *Client) Refuse(inner *commands.Call, err error) {
	c.timing.script.Refuse(inner.Cmd, err.Error())
	if c.timing.script.Full() {
		c.countScript()
	}
}

// timeScript shares the time since the last measurement among the commands without one.
func (c *Client) timeScript() (took int64) {
	now := c.server.parts.Clock.Monotonic()
	took = c.timing.script.Time(now - c.timing.since)
	c.timing.since = now
	return took
}

// countScript counts the commands of a script.
func (c *Client) countScript() {
	s := c.server
	c.timeScript()
	c.timing.script.Take(func(called *scripts.Called) {
		if called.Err != "" {
			s.stats.Errors.Add(called.Err)
		}
		if called.Cmd == nil {
			return
		}
		counters := s.stats.Commands.Of(called.Cmd)
		if called.Refused {
			counters.Rejected.Add(1)
			return
		}
		counters.Add(1, called.Took)
		if called.Err != "" {
			counters.Failed.Add(1)
		}
	}, func(line []byte) { s.monitors.Send(&c.conn, line) })
}
