package commands

import (
	"strings"

	"cellserver/store"
)

// EXEC runs the queued commands under one lock of all their partitions, so that nobody
// sees a part of them, and replies with the array of their replies; with null when a
// watched key was touched.
var _ = register(&Command{
	Name: "exec", Arity: 1, Flags: connectionFlags | SkipSlowlog | Immediate, Group: Transaction, Since: "1.2.0",
	Summary: "Execute all commands issued after MULTI", Complexity: "Depends on commands in the transaction",
	Run:       exec,
	Footprint: func(c *Call, fp *store.Footprint) { c.Client.transactionFootprint(c, fp) },
})

const (
	errExecNoMulti Error = "ERR EXEC without MULTI"
	errExecAbort   Error = "EXECABORT Transaction discarded because of previous errors."
)

func exec(c *Call) error {
	client := c.Client
	m := client.multi
	if !m.active {
		return errExecNoMulti
	}
	client.multi.reset()
	touched := c.Tx != nil && c.Tx.Dirty(&client.watcher)
	if c.Tx != nil {
		c.Tx.Unwatch(&client.watcher)
	}
	switch {
	case m.doomed:
		return errExecAbort
	case touched:
		c.Out.NullArray()
		return nil
	}
	client.inExec = true
	defer func() { client.inExec, client.inner = false, Call{} }()
	c.Out.Array(len(m.queued))
	for _, q := range m.queued {
		client.runQueued(c, q)
	}
	return nil
}

// runQueued runs one command of a transaction, under its locks and at its moment.
func (c *Client) runQueued(outer *Call, q queued) {
	c.inner = Call{Cmd: q.cmd, Args: q.args, Now: outer.Now, Tx: outer.Tx, Out: outer.Out, Client: c, Server: c.server}
	if c.inner.Tx != nil {
		c.inner.Tx.Select(c.db) // a SELECT may have been queued before it
	}
	c.server.run(&c.inner)
}

// execRefused is the reply to an EXEC that may not run because of err. A redirection by
// slot stays as it is: cluster clients act on it.
func execRefused(err error) error {
	text := err.Error()
	if strings.HasPrefix(text, "CROSSSLOT ") {
		return err
	}
	return Error("EXECABORT Transaction discarded because of: " + strings.TrimPrefix(text, "ERR "))
}
