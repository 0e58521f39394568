package transport

import "time"

// Barrier holds replies back until the changes that they report or show are safe, for example on disk.
//
// It counts changes: a position is a number of changes, and 0 is nothing to wait for. The handler knows
// which position the output of a batch needs. A transport calls Mark before it runs commands, and Wait or
// Later before it sends replies that need a position. An event loop calls Mark and Later at most once a
// turn, for all clients of the turn. The calls come from many goroutines at the same time.
type Barrier interface {
	// Mark returns the present state, for Wait and Later. It must not block.
	Mark() uint64
	// Wait blocks until every change before the call is safe. It returns false if a change since the mark
	// is lost: then the transport sends none of the replies, and closes their connections.
	Wait(mark uint64) bool
	// Later is Wait for the changes up to the position need, for a caller that must not wait for a disk or
	// another machine. If now is true, safe is the result. Otherwise Later calls done with the result, once,
	// from any goroutine; done does not block.
	Later(need, mark uint64, done func(safe bool)) (safe, now bool)
}

// Gatherer is a Barrier that makes changes safe in groups, because a large group costs little more than a
// small one.
type Gatherer interface {
	Barrier
	// Gather ends the present group if it is time. Otherwise it returns how long the group still waits for
	// changes. An event loop that has held replies calls it once a turn, and after that time. It must not
	// block.
	Gather() (again time.Duration)
}

// noBarrier is the Barrier of a server without one: every change is safe.
type noBarrier struct{}

func (noBarrier) Mark() uint64                                     { return 0 }
func (noBarrier) Wait(uint64) bool                                 { return true }
func (noBarrier) Later(_, _ uint64, _ func(bool)) (safe, now bool) { return true, true }
