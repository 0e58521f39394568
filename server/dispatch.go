package server

import (
	"math"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/clients"
)

// Handle runs one command, or queues it inside MULTI. It returns Flush if the batch has taken long.
func (c *Client) Handle(args [][]byte, w *resp.Writer) resp.Status {
	if !c.batch.begun {
		c.beginBatch()
	}
	if c.entry.Killed() {
		return resp.Close
	}
	mark := w.Mark()
	st := c.dispatch(args, w)
	c.offloaded = st == resp.Offload
	if st == resp.Retry || st == resp.Offload {
		return st
	}
	if c.entry.Blocked() {
		c.endWait()
	}
	if c.conn.Modes.Reply != commands.ReplyOn {
		c.dropReply(w, mark)
	}
	if c.server.tracking.On() > 0 {
		c.server.tracking.CommandDone(&c.conn, c.call.Cmd)
	}
	c.conn.Link.FlushSelfPushes(w)
	if c.conn.Modes.Leaving {
		return resp.Close
	}
	if st == resp.Continue && c.timing.since > c.timing.until {
		return resp.Flush
	}
	return st
}

// onKeysOnly are the flags of commands that leave the published state of the client as it is.
const onKeysOnly = commands.Write | commands.ReadOnly | commands.RunsScript

// dispatch checks a command, and queues or runs it. It returns Retry if the command must wait, and
// Offload if it may take long.
func (c *Client) dispatch(args [][]byte, w *resp.Writer) resp.Status {
	call, queue := &c.call, &c.conn.Transaction.Queue
	cmd, err := c.last.Lookup(args[0]), error(nil)
	if !cmd.Fits(len(args)) {
		cmd, err = commands.Resolve(cmd, args)
	}
	call.Cmd, call.Args, call.Now, call.Out = cmd, args, c.conn.Now, w
	call.Tx, call.Secret, call.Slept = nil, nil, 0
	call.Events = c.server.settings.keyspaceEvents()
	c.batch.dirty = c.batch.dirty || cmd == nil || queue.Active || cmd.Flags&onKeysOnly == 0
	if c.entry.Blocked() && c.server.blocked.Any() {
		if st, ended := c.awaitKeys(call); ended {
			return st
		}
	}
	if err == nil {
		err = c.admit(call)
	}
	if err == nil && c.entry.Blocked() {
		err = c.applyUnblock()
	}
	if err != nil {
		return c.reject(call, err)
	}
	if c.held = c.server.clients.MayBePaused() && c.paused(call) && !c.conn.Modes.Monitoring; c.held {
		c.entry.Block(clients.Held)
		return resp.Retry
	}
	if queue.Active && cmd.Flags&commands.Immediate == 0 {
		return c.queue(call)
	}
	full := c.server.parts.Disk.Full() && mayWrite(call)
	never := (cmd.Flags|queue.Flags)&commands.NeverInline | queue.Flags&commands.RunsScript
	if !c.offloaded && (full || len(args) > commands.MaxWords || never != 0) {
		return resp.Offload
	}
	if full {
		c.server.parts.Disk.Relieve()
	}
	st := c.execute(call)
	for st == resp.Status(commands.Restart) {
		st = c.execute(call)
	}
	c.conn.After.Run()
	return st
}

// reject answers a command that may not run.
func (c *Client) reject(call *commands.Call, err error) resp.Status {
	switch {
	case call.Cmd == nil && isHTTP(call.Args[0]):
		return c.endHTTP(call)
	case call.Name() == "exec" && !c.offloaded && c.conn.Transaction.Watcher.Watching():
		return resp.Offload // it has to unwatch, and may wait for a long command
	}
	c.refuse(call, err)
	return resp.Continue
}

// endHTTP closes the connection of a client that speaks HTTP. As in Redis, the client gets no reply. It also
// gets no replies to earlier commands of the batch.
func (c *Client) endHTTP(call *commands.Call) resp.Status {
	if c.server.http.mayWarn(call.Now) {
		c.server.parts.Log.Warn("possible SECURITY ATTACK: closing a client that sends HTTP (POST or "+
			"Host: as a command), perhaps a web "+
			"page that tries to command this server: find what sends it", "client", c.conn.Link.Peer.RemoteAddr())
	}
	call.Out.Truncate(0)
	return resp.Close
}

// queue adds a command to the queue of MULTI, unless EXEC will run none.
func (c *Client) queue(call *commands.Call) resp.Status {
	q := &c.conn.Transaction.Queue
	if q.Aborted || c.conn.Transaction.Watcher.Changed() {
		call.Out.Simple("QUEUED")
		return resp.Continue
	}
	if !call.MayHold("transaction", q.Bytes+commands.QueuedBytes(call.Args)) {
		return resp.Close
	}
	q.Add(call.Cmd, call.EffectiveFlags(), call.Args)
	call.Out.Simple("QUEUED")
	return resp.Continue
}

// dropReply removes the reply of a command because of CLIENT REPLY.
func (c *Client) dropReply(w *resp.Writer, mark int) {
	w.Truncate(mark)
	switch c.conn.Modes.Reply {
	case commands.ReplySkipNext:
		c.conn.Modes.Reply = commands.ReplySkip
	case commands.ReplySkip:
		c.conn.Modes.Reply = commands.ReplyOn
	}
}

// RetryAfter returns in how many nanoseconds the waiting command runs again if nobody wakes it. That is the
// end of CLIENT PAUSE, or else of the command's own time.
func (c *Client) RetryAfter() int64 {
	clock, at := c.server.parts.Clock, c.conn.Wait.Until
	if c.held {
		at = c.server.clients.PausedUntil()
		if at > math.MaxInt64/1_000_000 {
			return resp.NoTime
		}
		return clock.Until(at * 1_000_000)
	}
	switch {
	case at == math.MaxInt64:
		return resp.NoTime
	case c.conn.Wait.Monotonic:
		return at - clock.Monotonic()
	}
	return clock.Until(at)
}

// applyUnblock applies CLIENT UNBLOCK to a waiting command: it ends the wait as a timeout does, or
// returns an error.
func (c *Client) applyUnblock() error {
	switch c.entry.State() {
	case clients.UnblockedTime:
		c.conn.Wait.Until = 1 // a time in the past
	case clients.UnblockedErr:
		return errUnblocked
	}
	return nil
}

// paused reports whether CLIENT PAUSE holds a command back.
func (c *Client) paused(call *commands.Call) bool {
	paused, all := c.server.clients.Paused(call.NowMillis())
	return paused && (all || mayWrite(call)) && call.Cmd.Flags&commands.Unpaused == 0
}

// mayWrite reports whether a command, or one of its transaction or script, may change keys.
func mayWrite(call *commands.Call) bool {
	return call.EffectiveFlags()&(commands.Write|commands.MayReplicate) != 0
}
