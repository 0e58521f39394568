package transactions

import (
	"cellserver/commands"
	"cellserver/store"
)

// EXEC runs the queued commands and replies with an array of their replies. It holds the locks of
// all their partitions from the first command to the last. So no other client sees a part of the
// transaction. If a watched key has changed, EXEC replies with null.
var _ = commands.Register(&commands.Command{
	Name: "exec", Arity: 1, Flags: commands.ConnectionFlags | commands.SkipSlowlog | commands.Immediate,
	Group: commands.GroupTransaction, Run: exec, Footprint: execFootprint, Cost: commands.CostOfExec,
})

const (
	errExecNoMulti commands.Error = "ERR EXEC without MULTI"
	errExecAbort   commands.Error = "EXECABORT Transaction discarded because of previous errors."
)

func exec(c *commands.Call) error {
	t := &c.Conn.Transaction
	queue := t.Queue
	if !queue.Active {
		return errExecNoMulti
	}
	t.Queue.Reset()
	touched := c.Tx != nil && c.Tx.Dirty(&t.Watcher)
	if c.Tx != nil {
		c.Tx.Unwatch(&t.Watcher)
	}
	switch {
	case queue.Aborted:
		return errExecAbort
	case touched:
		c.Out.NullArray()
		return nil
	}
	t.Running, t.Bytes = true, queue.Bytes
	defer t.End()
	c.Out.Array(len(queue.Commands))
	for _, q := range queue.Commands {
		if c.Out.Over() && q.Cmd.Flags&commands.ReadOnly != 0 {
			continue // nobody gets its reply
		}
		c.RunQueued(q)
	}
	return nil
}

// execFootprint adds the keys of every queued command, and the watched keys.
func execFootprint(c *commands.Call, fp *store.Footprint) {
	t := &c.Conn.Transaction
	t.Watcher.Footprint(fp)
	for _, q := range t.Queue.Commands {
		inner := c.Other(q.Cmd, q.Args)
		q.Cmd.AddFootprint(&inner, fp)
	}
}
