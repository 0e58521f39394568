package server

import (
	"math"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/clients"
)

// Handle runs one command, or queues it inside MULTI.
func (c *Client) Handle(args [][]byte, w *resp.Writer) resp.Status {
	if c.entry.Killed() {
		return resp.Close
	}
	mark := w.Mark()
	st := c.dispatch(args, w)
	if st == resp.Retry || st == resp.Offload {
		return st
	}
	c.resume()
	if c.conn.Modes.Reply != commands.ReplyOn {
		c.silence(w, mark)
	}
	if c.server.tracking.On() > 0 {
		c.server.tracking.CommandDone(&c.conn, c.call.Cmd)
	}
	c.conn.Link.TakeOwn(w)
	if c.conn.Modes.Leaving {
		return resp.Close
	}
	return st
}

func (c *Client) dispatch(args [][]byte, w *resp.Writer) resp.Status {
	call, queue := &c.call, &c.conn.Transaction.Queue
	cmd, err := commands.Resolve(c.last.Lookup(args[0]), args)
	call.Cmd, call.Args, call.Now, call.Out = cmd, args, c.conn.Now, w
	call.Tx, call.Secret, call.Slept = nil, nil, 0
	c.dirty = c.dirty || cmd == nil || !cmd.OnOneKey() || queue.Active
	if err == nil {
		err = c.admit(call)
	}
	if err == nil && c.entry.Blocked() {
		err = c.unblocked()
	}
	if err != nil {
		c.refuse(call, err)
		return resp.Continue
	}
	if c.server.clients.MayBePaused() && c.paused(call) && !c.conn.Modes.Monitoring {
		c.entry.Block(clients.Held)
		return resp.Retry
	}
	if queue.Active && cmd.Flags&commands.Immediate == 0 {
		return c.queue(call)
	}
	if !c.offloaded && (cmd.Flags|queue.Flags)&commands.MayTakeLong != 0 {
		c.offloaded = true
		return resp.Offload
	}
	c.offloaded = false
	st := c.execute(call)
	if after := c.conn.After; after != nil {
		c.conn.After = nil
		after()
	}
	if st == resp.Retry {
		c.entry.Block(clients.Waiting)
	}
	return st
}

// queue adds a command to the transaction that MULTI began.
func (c *Client) queue(call *commands.Call) resp.Status {
	q := &c.conn.Transaction.Queue
	if !call.MayHold("transaction", q.Bytes+commands.QueuedBytes(call.Args)) {
		return resp.Close
	}
	q.Add(call.Cmd, call.Args)
	call.Out.Simple("QUEUED")
	return resp.Continue
}

// silence drops a reply as CLIENT REPLY demands.
func (c *Client) silence(w *resp.Writer, mark int) {
	w.Truncate(mark)
	switch c.conn.Modes.Reply {
	case commands.ReplySkipNext:
		c.conn.Modes.Reply = commands.ReplySkip
	case commands.ReplySkip:
		c.conn.Modes.Reply = commands.ReplyOn
	}
}

// resume ends the wait of a command, if there was one.
func (c *Client) resume() {
	if c.entry.Resume() {
		c.conn.WakeAt = 0
	}
}

// RetryAfter returns in how many nanoseconds the waiting command runs again if nobody wakes it. That is the end of
// CLIENT PAUSE, or of the command's own time.
func (c *Client) RetryAfter() int64 {
	clock, at := c.server.parts.Clock, c.conn.WakeAt
	if c.entry.State() == clients.Held {
		at = c.server.clients.PausedUntil()
		if at > math.MaxInt64/1_000_000 {
			return resp.NoTime
		}
		return clock.Until(at * 1_000_000)
	}
	switch {
	case at == math.MaxInt64:
		return resp.NoTime
	case c.conn.WakeMonotonic:
		return at - clock.Monotonic()
	}
	return clock.Until(at)
}

const errUnblocked commands.Error = "UNBLOCKED client unblocked via CLIENT UNBLOCK"

// unblocked does what CLIENT UNBLOCK wants of a waiting command: nothing, the end of its time,
// or an error in its place.
func (c *Client) unblocked() error {
	switch c.entry.State() {
	case clients.UnblockedTime:
		c.conn.WakeAt = 1 // long ago
	case clients.UnblockedErr:
		return errUnblocked
	}
	return nil
}

// paused reports whether CLIENT PAUSE holds a command.
func (c *Client) paused(call *commands.Call) bool {
	paused, all := c.server.clients.Paused(call.NowMillis())
	mayWrite := func() bool { return call.EffectiveFlags()&(commands.Write|commands.MayReplicate) != 0 }
	return paused && (all || mayWrite()) && call.Cmd.Flags&commands.Unpaused == 0
}
