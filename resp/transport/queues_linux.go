package transport

import (
	"slices"

	"cellserver/resp"
)

// Work is in bytes: those received, those of the commands that ran, and the new memory for a command that is
// not complete. Fresh memory is slow: the system clears it.
const (
	// turnWork is the work after which a turn begins no further short batch.
	turnWork = 2 << 20
	// longShare is the work after which a turn begins no further long batch. Each turn has both.
	longShare = turnWork / 4
	// longBatch is the work from which a batch is long. A complete command counts twice: received, and run.
	longBatch = readSize / 2
)

// queues order the clients of an event loop that have sent something. They hold descriptors, each of them
// once. Clients with short batches are served in the order in which their input has arrived.
//
// A client whose last batch was long waits behind the clients whose last batches were short. So a PING does
// not wait for one batch of each client that sends without end. It usually waits for the rest of a turn and
// for one more.
type queues struct {
	ready  []int  // short batches
	served int    // how many of ready had their batch
	again  []int  // like ready, for the next turn: the last read may have left bytes
	long   []int  // long batches
	queued []bool // by descriptor: it is in one of these queues
	work   int    // of this turn
}

// beginTurn puts the clients of again before those of ready that had no batch yet. It returns how many are
// queued.
func (q *queues) beginTurn() int {
	q.ready = slices.Replace(q.ready, 0, q.served, q.again...)
	q.served, q.again = 0, q.again[:0]
	return len(q.ready) + len(q.long)
}

// enqueue adds a client that has sent something to the queue short, or to long if its last batch was long. It
// does nothing if the client is queued. short is ready, or again if the client gets no further batch in this
// turn.
func (q *queues) enqueue(c *Conn, short *[]int) {
	if q.queued[c.fd] {
		return
	}
	q.queued[c.fd] = true
	if c.long {
		short = &q.long
	}
	*short = append(*short, c.fd)
}

// countWork counts the batch that a client just had. bytes are those received and run.
func (q *queues) countWork(c *Conn, bytes int) {
	before := c.unfinished
	c.unfinished = 0
	if c.session.Buffered() > 0 {
		c.unfinished = c.session.InputCapacity()
		bytes += 2 * max(0, c.unfinished-before) // a buffer grows to twice its size, and moves
	}
	if c.status == resp.Flush {
		bytes += turnWork / 4 // a few such batches take as long as a full turn
	}
	c.long = bytes >= longBatch
	q.work += bytes
}

// runBatches reads from the clients in the queues, and runs their commands. The next turn begins with the
// short batches that are left. The long ones keep their order.
func (l *loop) runBatches() {
	l.work = 0
	long := len(l.long) // clients queued later wait for the next turn
	for l.served < len(l.ready) && l.work < turnWork {
		l.served++ // first: a panic ends the turn
		l.runBatch(l.ready[l.served-1])
	}
	for end := l.work + longShare; long > 0 && l.work < end; long-- {
		fd := l.long[0]
		l.long = l.long[1:]
		l.runBatch(fd)
	}
}
