package transport

// Barrier holds replies back until the changes that they report are safe, for example on disk.
//
// A transport calls Mark before it runs commands, and Wait before it sends their replies. An event loop
// calls each once a turn, for all clients of the turn. The calls come from many goroutines at the same time.
type Barrier interface {
	// Mark returns the present position, for Wait. It must not block.
	Mark() uint64
	// Wait blocks until every change before the call is safe. It returns false if a change since the mark
	// is lost: then the transport sends none of the replies, and closes their connections.
	Wait(mark uint64) bool
}

// gate calls a Barrier, if there is one.
type gate struct{ barrier Barrier }

func (g gate) mark() uint64 {
	if g.barrier == nil {
		return 0
	}
	return g.barrier.Mark()
}

func (g gate) wait(mark uint64) bool { return g.barrier == nil || g.barrier.Wait(mark) }
