package aof

// commandQueue exists for speed alone.
//
// What it is: a command waits in the queue until the reader has read prefetchDistance more. Meanwhile the
// store prefetches the command's key.
//
// What it brings: commands need not wait for memory. Without it, loading a million throttle keys takes at
// least a tenth longer. Let applier.prefetch return at once and compare
//
//	go test -run none -bench Load ./persistence/aof
//
// What it must never do: change the order of the commands, or keep a command after its memory is used again
// ([commandQueue.drain]).
type commandQueue struct {
	of     *applier
	apply  func(*queuedCommand) error
	failed error // of apply; no command is applied after it
	slots  [prefetchDistance]queuedCommand
	oldest int // index in slots
}

// prefetchDistance is the number of commands that wait.
const prefetchDistance = 3

// queuedCommand is a command in the window's memory.
type queuedCommand struct {
	args [][]byte // empty: no command waits in this slot
	at   int64    // the offset in the file of the command, or of its transaction
}

// push applies the oldest command, and puts another one into its slot. It returns room for the arguments of
// the next command.
func (q *commandQueue) push(args [][]byte, at int64) (room [][]byte) {
	c := q.applyOldest()
	room = c.args
	c.args, c.at = args, at
	q.of.prefetch(args)
	return room
}

// drain applies all commands.
func (q *commandQueue) drain() {
	for range prefetchDistance {
		q.applyOldest()
	}
	q.of.tx.DropPrefetched()
}

// applyOldest applies the oldest command, if there is one, and returns its slot.
func (q *commandQueue) applyOldest() *queuedCommand {
	c := &q.slots[q.oldest]
	q.oldest = (q.oldest + 1) % prefetchDistance
	if len(c.args) > 0 && q.failed == nil {
		q.failed = q.apply(c)
	}
	c.args = c.args[:0]
	return c
}
