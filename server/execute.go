package server

import (
	"strings"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/clients"
	"cellserver/server/tracking"
	"cellserver/store"
)

// execute locks the partitions of the footprint of a command, and runs the command. It returns
// Offload if the command takes long, or if a long transaction has one of the partitions.
func (c *Client) execute(call *commands.Call) resp.Status {
	cmd := call.Cmd
	if cmd.OnOneKey() && len(call.Args) > 1 && !c.offloaded && c.follower == nil {
		if !c.tx.TryBeginKey(call.Now, c.conn.DB, call.Args[1]) {
			return resp.Offload
		}
	} else {
		fp := &c.footprint
		*fp = store.Footprint{}
		cmd.AddFootprint(call, fp)
		if c.follower != nil {
			c.follower.lock(fp)
		}
		switch {
		case *fp == (store.Footprint{}):
			return c.runWithoutKeys(call)
		case c.offloaded:
			if since := c.beginLong(call, fp); since != 0 {
				return c.awaitScript(call, since)
			}
		case !c.tx.TryBegin(call.Now, c.conn.DB, fp):
			return resp.Offload
		}
	}
	call.Tx = c.tx
	if cmd.Cost != nil && !c.offloaded && call.Long() {
		c.tx.End()
		return resp.Offload
	}
	if c.server.control.topology != nil && c.epochEnded() && usesKeys(call) {
		return c.refuseLocked(call)
	}
	if c.server.condition.Load() != c.admitted {
		return c.admitAgain(call)
	}
	mark, done := call.Out.Mark(), false
	defer func() {
		if !done { // only a panic pays for the call of recover
			c.endPanicked(call, mark, recover())
		}
	}()
	st := c.run(call)
	if c.follower != nil {
		c.follower.keepPosition(c.tx)
	}
	done = true
	brought := c.server.blocked.Brought(c.tx)
	if len(c.conn.Tracking.Reads) > 0 {
		c.server.tracking.EndTx(&c.conn, c.tx)
	} else {
		c.tx.End()
	}
	if c.tx.Since != 0 {
		c.wakeWaiting()
	}
	if brought != nil {
		c.serveWaiters(brought)
	}
	return st
}

// runWithoutKeys runs a command that locks no partition. It returns Offload if the command takes long.
func (c *Client) runWithoutKeys(call *commands.Call) resp.Status {
	if !c.offloaded && call.Long() {
		return resp.Offload
	}
	return c.run(call)
}

// admitAgain begins a command again whose partitions are locked, because the condition of the server has
// changed since it was admitted. So no write of a client comes after the server has begun to follow another
// one. No write of the other one comes after the end.
func (c *Client) admitAgain(call *commands.Call) resp.Status {
	c.tx.End()
	if c.tx.Since != 0 {
		c.wakeWaiting()
	}
	call.Tx = nil
	if err := c.admit(call); err != nil {
		return c.reject(call, err)
	}
	return c.execute(call)
}

// endPanicked ends the transaction of a command that panicked. mark is where the reply begins.
func (c *Client) endPanicked(call *commands.Call, mark int, reason any) {
	if c.follower != nil {
		c.follower.losePosition(c.tx)
	}
	if len(c.conn.Tracking.Reads) > 0 {
		c.server.tracking.EndTx(&c.conn, c.tx)
	} else {
		c.tx.End()
	}
	if c.tx.Since != 0 {
		c.wakeWaiting()
	}
	c.exhausted(call, mark, reason)
}

// exhausted answers a command that found no memory for a key. It gets the value of the command's panic, and
// panics again if the reason is another one. The key has not changed. A command on several keys may have
// changed the keys before.
func (c *Client) exhausted(call *commands.Call, mark int, reason any) {
	switch reason {
	case nil:
	case store.ErrExhausted:
		call.Out.Truncate(mark)
		c.server.stats.Commands.Of(call.Cmd).Failed.Add(1)
		c.replyError(call, errExhausted)
	default:
		panic(reason)
	}
}

// Run implements [commands.Runner]. It refuses commands that need memory after too many changes, and writes
// after REPLICAOF.
func (c *Client) Run(inner *commands.Call) {
	switch {
	case c.server.changesTooMuch(inner):
		c.refuseInner(inner, errExecTooLarge)
		return
	case c.entered(inner):
		c.refuseInner(inner, errReadOnly)
		return
	}
	mark, done := inner.Out.Mark(), false
	defer func() {
		if !done { // only a panic pays for the call of recover
			c.exhausted(inner, mark, recover())
		}
	}()
	if !c.refuseQueued(inner) && c.run(inner) == resp.Close {
		c.conn.Modes.Leaving = true // after the reply of EXEC
	}
	done = true
}

// refuseInner answers a command of EXEC or of a script that may not run.
func (c *Client) refuseInner(inner *commands.Call, err error) {
	c.server.stats.Commands.Of(inner.Cmd).Rejected.Add(1)
	c.replyError(inner, err)
}

// entered reports whether REPLICAOF has come before a write in the same transaction, on the leader of a
// cluster. It is one moment there, so the copy would remove what the write has changed.
func (c *Client) entered(inner *commands.Call) bool {
	return c.batch.epoch != 0 && c.follower == nil && inner.Cmd.Flags&commands.Write != 0 &&
		c.server.Condition().Follows()
}

// Alone implements [commands.Runner]. For EXEC, all queued commands were checked before the first of them
// ran.
func (c *Client) Alone() bool { return c.offloaded || c.conn.Transaction.Running }

// run runs a command whose locks are held, and counts it. The time of a command starts at the end
// of the command before it in the batch. So it includes the wait for locks, and the server reads
// the clock once for each command.
func (c *Client) run(call *commands.Call) resp.Status {
	s, cmd := c.server, call.Cmd
	var joined *group
	if cmd.Flags&commands.Fast != 0 {
		joined = c.joinsGroup(cmd)
	}
	if joined == nil && c.hasUncounted() {
		c.countGroups()
	}
	mark, start := call.Out.Mark(), c.timing.since
	if cmd.Flags&commands.RunsScript != 0 {
		c.timing.script.Forget()
		if s.monitors.On() {
			c.show(call)
		}
	}
	err := c.perform(call)
	v, ended := err.(commands.Verdict)
	if v == commands.TryAgain || v == commands.TakesLong || v == commands.Restart {
		if v == commands.TryAgain {
			c.waits(call)
		}
		return resp.Status(v)
	}
	if err != nil && !ended {
		call.Out.Truncate(mark)
		s.stats.Commands.Of(cmd).Failed.Add(1)
		c.replyError(call, err)
	}
	if joined != nil {
		joined.n++
		c.timing.n++
	} else {
		if cmd.Flags&commands.RunsScript != 0 {
			c.countScript()
			call.Slept += c.timing.since - start // the time of its commands
		}
		c.countCall(call)
	}
	if c.conn.Tracking.On || s.monitors.On() {
		c.notify(call)
	}
	return resp.Status(v)
}

// waits notes that a command waits itself. The monitors see it now.
func (c *Client) waits(call *commands.Call) {
	c.entry.Block(clients.Waiting)
	if c.server.monitors.On() && !c.shown {
		c.show(call)
		c.shown = true
	}
}

// perform runs a command, and publishes its events.
func (c *Client) perform(call *commands.Call) error {
	before := 0
	if call.Tx != nil || call.Cmd.Flags&commands.ReadOnly != 0 {
		c.batch.keys = true
	}
	if call.Tx != nil {
		call.Tx.NoTouch = c.conn.Modes.NoTouch && call.Cmd.Name != "touch"
		before = call.Tx.Changes()
	}
	err := call.Cmd.Run(call)
	if call.Events != 0 && call.Cmd.Group == commands.GroupLimiter && call.Tx != nil {
		call.NotifyEffects(call.Tx.Effects(before))
	}
	return err
}

// notify passes a command to the tracking table and to the monitors. Of a script, the table knows
// the keys that its commands read.
func (c *Client) notify(call *commands.Call) {
	if call.Cmd.Flags&(commands.ReadOnly|commands.RunsScript) == commands.ReadOnly && call.Tx != nil && c.conn.Tracking.Wants() {
		tracking.NoteReads(call)
	}
	if call.Cmd.Flags&commands.RunsScript == 0 && c.server.monitors.On() && !c.shown {
		c.show(call)
	}
}

// show passes a command to the monitors. The caller has seen that there is one. They see a script before its
// commands.
func (c *Client) show(call *commands.Call) {
	m := &c.server.monitors
	switch {
	case call.InScript || call.Cmd.Flags&commands.RunsScript != 0:
		c.timing.script.Show(m.Line(call, c.monitorAddr(call)))
	default:
		m.Send(&c.conn, m.Line(call, c.monitorAddr(call)))
	}
}

// monitorAddr returns the client's address in the format of MONITOR.
func (c *Client) monitorAddr(call *commands.Call) string {
	if call.InScript {
		return "lua"
	}
	if c.conn.Link.IsUnix() {
		return "unix:" + c.server.Config().UnixSocket
	}
	return c.entry.Addr()
}

// replyError replies to a command of the client with an error.
func (c *Client) replyError(call *commands.Call, err error) {
	if c.follower != nil {
		c.follower.fail(call, err)
	}
	c.server.replyError(call, err)
}

// replyError writes an error as the reply; no other function does. The text may contain arguments
// of the client. So replyError removes the line breaks at the end of the text, and the writer
// replaces all other line breaks.
func (s *Server) replyError(call *commands.Call, err error) {
	text := strings.TrimRight(err.Error(), "\r\n")
	if _, counted := err.(commands.CountedError); !counted {
		s.stats.Errors.Add(text)
	}
	call.Out.Error(text)
}
