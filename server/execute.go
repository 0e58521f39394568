package server

import (
	"strings"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/tracking"
	"cellserver/store"
)

// execute locks the partitions of the footprint of a command, and runs the command.
func (c *Client) execute(call *commands.Call) resp.Status {
	cmd := call.Cmd
	if cmd.OnOneKey() && len(call.Args) > 1 {
		call.Tx = c.tx
		c.tx.BeginKey(call.Now, c.conn.DB, call.Args[1])
	} else {
		fp := &c.footprint
		*fp = store.Footprint{}
		cmd.AddFootprint(call, fp)
		if *fp == (store.Footprint{}) {
			return c.run(call)
		}
		call.Tx = c.tx
		c.tx.Begin(call.Now, c.conn.DB, fp)
	}
	defer c.server.tracking.EndTx(&c.conn)
	return c.run(call)
}

// Run implements [commands.Runner].
func (c *Client) Run(inner *commands.Call) { c.run(inner) }

// run runs a command whose locks are held, and counts it. The time of a command starts at the end
// of the command before it in the batch. So it includes the wait for locks, and the server reads
// the clock once for each command.
func (c *Client) run(call *commands.Call) resp.Status {
	s, cmd := c.server, call.Cmd
	before := 0
	if call.Tx != nil {
		call.Tx.NoTouch = c.conn.Modes.NoTouch && cmd.Name != "touch"
		before = call.Tx.Changes()
	}
	grouped := c.joinGroup(cmd)
	mark := call.Out.Mark()
	err := cmd.Run(call)
	if call.Events != 0 && cmd.Group == commands.GroupLimiter && call.Tx != nil {
		call.NotifyEffects(call.Tx.Effects(before))
	}
	v, ended := err.(commands.Verdict)
	if v == commands.TryAgain {
		return resp.Retry
	}
	if err != nil && !ended {
		call.Out.Truncate(mark)
		s.stats.Commands.Of(cmd).Failed.Add(1)
		s.replyError(call, err)
	}
	if grouped {
		c.timing.n++
	} else {
		c.countCall(call)
	}
	c.notify(call)
	return resp.Status(v)
}

// notify passes a command to the tracking table and to the monitors.
func (c *Client) notify(call *commands.Call) {
	if call.Cmd.Flags&commands.ReadOnly != 0 && call.Tx != nil && c.conn.Tracking.Wants() {
		tracking.NoteReads(call)
	}
	if c.server.monitors.On() {
		c.server.monitors.Show(call, c.monitorAddr())
	}
}

// monitorAddr returns the client's address in the format of MONITOR.
func (c *Client) monitorAddr() string {
	if c.conn.Link.IsUnix() {
		return "unix:" + c.server.Config().UnixSocket
	}
	return c.entry.Addr()
}

// replyError writes an error as the reply; no other function does. The text of an error may contain
// arguments of the client. So replyError removes line ends at its end, and the writer replaces all
// others.
func (s *Server) replyError(call *commands.Call, err error) {
	text := strings.TrimRight(err.Error(), "\r\n")
	s.stats.Errors.Add(text)
	call.Out.Error(text)
}
