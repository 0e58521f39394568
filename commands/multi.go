package commands

import (
	"bytes"

	"cellserver/resp"
	"cellserver/store"
)

// MULTI starts a transaction: what follows is queued until EXEC or DISCARD.
var _ = register(&Command{
	Name: "multi", Arity: 1, Flags: connectionFlags | Fast | AllowBusy | Immediate, Group: Transaction, Since: "1.2.0",
	Summary: "Mark the start of a transaction block", Usage: "", Complexity: "O(1)",
	Run: func(c *Call) error {
		m := &c.Client.multi
		if m.active {
			return errNestedMulti
		}
		m.active = true
		return replyOK(c)
	},
})

const errNestedMulti Error = "ERR MULTI calls can not be nested"

// multi is the transaction that a client is putting together.
type multi struct {
	active bool
	doomed bool // a command could not be queued: EXEC will refuse
	queued []queued
	bytes  int   // memory of the queued arguments
	flags  Flags // of any queued command
}

type queued struct {
	cmd  *Command
	args [][]byte
}

// queuedOverhead is what a queued command and each of its arguments cost beyond their
// bytes, about.
const queuedOverhead = 32

// queue keeps a copy of a command, as its arguments alias the input buffer.
func (c *Client) queue(cmd *Command, args [][]byte, w *resp.Writer) resp.Status {
	m := &c.multi
	own := make([][]byte, len(args))
	for i, a := range args {
		own[i] = bytes.Clone(a)
		m.bytes += len(a) + queuedOverhead
	}
	m.bytes += queuedOverhead
	if !c.mayHold("transaction", m.bytes) {
		return resp.Close
	}
	m.queued = append(m.queued, queued{cmd, own})
	m.flags |= cmd.Flags
	w.Simple("QUEUED")
	return resp.Continue
}

// mayHold reports whether so many bytes are within what one client may keep here between
// its requests, client-query-buffer-limit. As with a request beyond it, the connection
// is to be closed if they are not.
func (c *Client) mayHold(what string, bytes int) bool {
	if int64(bytes) <= c.server.Config().ClientQueryBufferLimit {
		return true
	}
	c.server.Log.Warn("a client outgrew client-query-buffer-limit; its connection is closed",
		"by", what, "client", c.peer.RemoteAddr(), "bytes", bytes)
	return false
}

func (m *multi) reset() { *m = multi{} }

// transactionFootprint is what EXEC locks: the keys of every queued command, and the watched ones.
func (c *Client) transactionFootprint(call *Call, fp *store.Footprint) {
	c.watcher.Footprint(fp)
	for _, q := range c.multi.queued {
		inner := Call{Cmd: q.cmd, Args: q.args, Client: c, Server: c.server}
		q.cmd.footprint(&inner, fp)
	}
}
