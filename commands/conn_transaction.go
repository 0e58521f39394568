package commands

import (
	"bytes"

	"cellserver/store"
)

// Transaction is the part of a connection that MULTI, EXEC, DISCARD and WATCH use.
type Transaction struct {
	Queue   Queue         // of MULTI
	Watcher store.Watcher // of WATCH
	Running bool          // EXEC runs the queued commands
	Bytes   int           // memory of the queue that EXEC runs, about
	inner   Call          // the queued command that runs now; reused
}

// RunQueued runs one queued command, under the locks of EXEC and at the time of EXEC.
func (c *Call) RunQueued(q Queued) {
	inner := &c.Conn.Transaction.inner
	*inner = c.Other(q.Cmd, q.Args)
	if inner.Tx != nil {
		inner.Tx.Select(c.Conn.DB) // an earlier queued command may be SELECT
	}
	c.Runner.Run(inner)
}

// End marks the end of EXEC and drops the references to the last queued command.
func (t *Transaction) End() { t.Running, t.inner = false, Call{} }

// Queue holds the commands that a connection sends between MULTI and EXEC.
type Queue struct {
	Active   bool // the connection is inside MULTI
	Aborted  bool // the server refused to queue a command, so EXEC will reply with EXECABORT
	Commands []Queued
	Bytes    int   // memory of the queued commands (an estimate)
	Flags    Flags // union of the flags of all queued commands
}

// Queued is one queued command, with a copy of its arguments.
type Queued struct {
	Cmd  *Command
	Args [][]byte
}

// queuedOverhead is the memory in bytes of a queued command without its arguments, and of an
// argument without its bytes. It is an estimate.
const queuedOverhead = 32

// QueuedBytes estimates the memory in bytes of a queued command.
func QueuedBytes(args [][]byte) int {
	n := queuedOverhead
	for _, a := range args {
		n += len(a) + queuedOverhead
	}
	return n
}

// Add queues a command with its effective flags. It copies the arguments, because they alias the
// input buffer.
func (q *Queue) Add(cmd *Command, flags Flags, args [][]byte) {
	own := make([][]byte, len(args))
	for i, a := range args {
		own[i] = bytes.Clone(a)
	}
	q.Bytes += QueuedBytes(args)
	q.Commands = append(q.Commands, Queued{cmd, own})
	q.Flags |= flags
}

// Reset empties the queue and leaves MULTI.
func (q *Queue) Reset() { *q = Queue{} }

// CostOfWatched is the [Cost] of commands that unwatch keys.
func CostOfWatched(c *Call) int {
	const stepsOfKey = 30
	return stepsOfKey * c.Conn.Transaction.Watcher.Len()
}

// WatchedFootprint adds the partitions of the watched keys. Commands that unwatch keys have it as
// their Footprint.
func WatchedFootprint(c *Call, fp *store.Footprint) { c.Conn.Transaction.Watcher.Footprint(fp) }
