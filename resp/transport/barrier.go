package transport

// Barrier holds replies back until the changes that they report are safe, for example on disk.
//
// A transport calls Mark before it runs commands. If a command has changed data, the transport calls Wait or Later
// before it sends the replies. An event loop calls Mark and Later once a turn, for all clients of the turn. The calls
// come from many goroutines at the same time.
type Barrier interface {
	// Mark returns the present position, for Wait and Later. It must not block.
	Mark() uint64
	// Wait blocks until every change before the call is safe. It returns false if a change since the mark
	// is lost: then the transport sends none of the replies, and closes their connections.
	Wait(mark uint64) bool
	// Need returns what Later has to wait for, so that every change before the call is safe. It must not block.
	Need() uint64
	// Later is Wait for the changes up to need, for a caller that must not wait for a disk or another machine. If
	// now is true, safe is the result. Otherwise Later calls done with the result, once, from any goroutine; done
	// does not block.
	Later(need, mark uint64, done func(safe bool)) (safe, now bool)
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
