package server

import (
	"math"
	"runtime/debug"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/blocked"
	"cellserver/server/clients"
	"cellserver/store"
)

// awaitKeys is another try of a command that waits for keys. It returns false for any other command. The
// command itself does not run again: the client that brought a value has made the reply.
func (c *Client) awaitKeys(call *commands.Call) (st resp.Status, ended bool) {
	state, reply := c.server.blocked.Outcome(c.conn.ID)
	if state == blocked.Queued && c.waitIsOver(call) {
		if c.server.blocked.Leave(c.conn.ID) {
			c.endUnserved(call)
			return resp.Continue, true
		}
		state = blocked.Claimed
	}
	switch state {
	case blocked.Absent:
		return resp.Continue, false
	case blocked.Claimed:
		c.conn.Wait.Until = math.MaxInt64 // the reply comes at once
		return resp.Retry, true
	case blocked.Queued:
		return resp.Retry, true
	case blocked.Over:
		return resp.Close, true
	}
	call.Out.Raw(reply)
	c.batch.changed = true
	c.countCall(call)
	return resp.Flush, true // messages that came meanwhile follow the reply, and then the next command
}

// waitIsOver reports whether the time of a waiting command has come, or CLIENT UNBLOCK has ended its wait.
func (c *Client) waitIsOver(call *commands.Call) bool {
	return call.Now >= c.conn.Wait.Until || c.entry.State() != clients.Waiting ||
		c.server.Condition().Follows()
}

// endUnserved ends the wait of a command that nobody has served.
func (c *Client) endUnserved(call *commands.Call) {
	switch {
	case c.server.Condition().Follows():
		c.conn.Modes.Leaving = true
		c.refuse(call, errRoleChanged)
	case c.entry.State() == clients.UnblockedErr:
		c.refuse(call, errUnblocked)
	default:
		call.Out.NullArray()
		c.countCall(call)
	}
}

// inlineServed is how many clients a command serves before its own reply. Others of its event loop wait
// meanwhile.
const inlineServed = 64

// serveWaiters serves the clients that wait for the keys that a command has brought. The rest is for a
// goroutine of its own, if there are many clients or if their commands would wait.
func (c *Client) serveWaiters(places []blocked.Place) {
	epoch := c.batch.epoch
	s := blocked.Serving{
		Table: c.server.blocked, Host: c.server, Places: places, Now: c.call.Now, Tx: c.tx,
		Ended: func() bool {
			return c.server.control.epoch() != epoch || c.server.Condition().Follows()
		},
	}
	if s.Run(inlineServed) {
		return
	}
	later := s
	later.Tx, later.MayBlock = c.server.parts.Store.NewTx(), true
	go later.Run(math.MaxInt)
}

// Call returns the call of a command that a waiting client sent. It implements [blocked.Host].
func (s *Server) Call(cmd *commands.Command, args [][]byte) commands.Call {
	return commands.Call{Cmd: cmd, Args: args, Server: &s.parts, Events: s.settings.keyspaceEvents()}
}

// Permit implements [blocked.Host].
func (s *Server) Permit(call *commands.Call, by commands.Identity) error {
	_, limits := s.parts.Users.Rights(by.User)
	why, at := call.Denied(limits, 0)
	return denial(call, why, at)
}

// Failed implements [blocked.Host].
func (s *Server) Failed(call *commands.Call, err error) {
	s.stats.Commands.Of(call.Cmd).Failed.Add(1)
	s.replyError(call, err)
}

// Panicked implements [blocked.Host].
func (s *Server) Panicked(call *commands.Call, client commands.Peer, reason any) (replied bool) {
	if reason == store.ErrExhausted {
		s.Failed(call, errExhausted)
		return true
	}
	s.panicked(call.Cmd.Name, client, reason, debug.Stack())
	return false
}
