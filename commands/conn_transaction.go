package commands

import (
	"bytes"

	"cellserver/store"
)

// Transaction is the part of a connection that MULTI, EXEC, DISCARD and WATCH use.
type Transaction struct {
	Queue   Queue         // of MULTI
	Watcher store.Watcher // of WATCH
	Running bool          // EXEC runs the queue
	Bytes   int           // memory of the queue that EXEC runs, about
	inner   Call          // the running command of the queue; reused
}

// RunQueued runs one command of a transaction, under the transaction's locks and at its time.
func (c *Call) RunQueued(q Queued) {
	inner := &c.Conn.Transaction.inner
	*inner = Call{Cmd: q.Cmd, Args: q.Args, Now: c.Now, Tx: c.Tx, Out: c.Out, Conn: c.Conn, Server: c.Server, Runner: c.Runner}
	if inner.Tx != nil {
		inner.Tx.Select(c.Conn.DB) // an earlier command of the queue may be SELECT
	}
	c.Runner.Run(inner)
}

// End drops the references to the last queued command.
func (t *Transaction) End() { t.Running, t.inner = false, Call{} }

// Queue is the transaction that a connection puts together between MULTI and EXEC.
type Queue struct {
	Active   bool // MULTI was given
	Doomed   bool // a command could not be queued: EXEC will refuse
	Commands []Queued
	Bytes    int   // memory of the queued arguments, about
	Flags    Flags // of all queued commands together
}

// Queued is one command of a transaction, with a copy of its arguments.
type Queued struct {
	Cmd  *Command
	Args [][]byte
}

// queuedOverhead is the memory in bytes of a queued command, and of each of its arguments,
// beyond the arguments' own bytes. It is an estimate.
const queuedOverhead = 32

// QueuedBytes returns the memory in bytes that a command with these arguments takes in a
// queue, about.
func QueuedBytes(args [][]byte) int {
	n := queuedOverhead
	for _, a := range args {
		n += len(a) + queuedOverhead
	}
	return n
}

// Add queues a copy of a command, because its arguments alias the input buffer.
func (q *Queue) Add(cmd *Command, args [][]byte) {
	own := make([][]byte, len(args))
	for i, a := range args {
		own[i] = bytes.Clone(a)
	}
	q.Bytes += QueuedBytes(args)
	q.Commands = append(q.Commands, Queued{cmd, own})
	q.Flags |= cmd.Flags
}

// Reset ends the transaction.
func (q *Queue) Reset() { *q = Queue{} }

// WatchedFootprint is the footprint of commands that forget the watched keys.
func WatchedFootprint(c *Call, fp *store.Footprint) { c.Conn.Transaction.Watcher.Footprint(fp) }
