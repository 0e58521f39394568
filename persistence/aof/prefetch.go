package aof

// commandQueue exists for speed alone.
//
// What it is: a command waits in the queue until prefetchDistance more were read. Meanwhile the store fetches the
// command's key from memory.
//
// What it brings: commands need not wait for memory. Without the prefetch, the loading of a million throttle keys takes
// a tenth longer or more (compare go test -run none -bench Load ./persistence/aof with an applier.prefetch that returns
// at once).
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

// next returns the slot of the oldest command. The caller applies the command and may put another one into the slot,
// which is the newest then.
func (q *commandQueue) next() *queuedCommand {
	c := &q.slots[q.oldest]
	q.oldest = (q.oldest + 1) % prefetchDistance
	return c
}
