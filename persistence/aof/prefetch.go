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
// ([reader.drain]).
type commandQueue struct {
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

// next returns the slot of the oldest command. The caller applies the command. Then it may put the newest
// command into the slot.
func (q *commandQueue) next() *queuedCommand {
	c := &q.slots[q.oldest]
	q.oldest = (q.oldest + 1) % prefetchDistance
	return c
}
