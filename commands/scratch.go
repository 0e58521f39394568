package commands

import (
	"sync"

	"cellserver/limiters"
	"cellserver/limiters/flight"
	"cellserver/limiters/rules"
)

// Scratch is the reusable memory of a connection: with it, a limiter allocates nothing. The fields are nil
// until the first use. check and asked come from pools, and only a batch has them.
type Scratch struct {
	limit  *limiters.Scratch
	flight *flight.Flight
	check  *rules.Check
	asked  *rules.Question
	Script interface{ Release() } // of the running script; only Server.Scripts uses it
	Inner  any                    // the *Command that CL.LEASE had inside last
}

// A request to a rule needs 4 to 8 KB of memory, and a request to sixteen rules about 70 KB. The batches of
// all connections share this memory, so an idle connection does not hold it.
var (
	checkPool = sync.Pool{New: func() any { return new(rules.Check) }}
	askedPool = sync.Pool{New: func() any { return new(rules.Question) }}
)

// Limiter returns memory for a request to a limiter. It is valid until Release.
func (s *Scratch) Limiter() *limiters.Scratch {
	if s.limit == nil {
		s.limit = new(limiters.Scratch)
	}
	return s.limit
}

// Flight returns memory for a request to an adaptive limit. It is valid until Release.
func (s *Scratch) Flight() *flight.Flight {
	if s.flight == nil {
		s.flight = new(flight.Flight)
	}
	return s.flight
}

// Check returns memory for a request to a rule. It is valid until Release.
func (s *Scratch) Check() *rules.Check {
	if s.check == nil {
		s.check = checkPool.Get().(*rules.Check)
	}
	return s.check
}

// Question returns memory for a request to several rules. It is valid until Release.
func (s *Scratch) Question() *rules.Question {
	if s.asked == nil {
		s.asked = askedPool.Get().(*rules.Question)
	}
	return s.asked
}

// Release drops the references to the last requests, and gives the shared memory back. So an idle connection
// keeps neither.
func (s *Scratch) Release() {
	if s.limit.Release(); s.flight != nil || s.check != nil || s.asked != nil || s.Script != nil {
		s.giveBack()
	}
}

// giveBack gives the shared memory back. Few connections have more than the memory of a limiter.
func (s *Scratch) giveBack() {
	if s.flight != nil {
		s.flight.Release()
	}
	if s.check != nil {
		s.check.Release()
		checkPool.Put(s.check)
		s.check = nil
	}
	if s.asked != nil {
		s.asked.Release()
		askedPool.Put(s.asked)
		s.asked = nil
	}
	if s.Script != nil {
		s.Script.Release()
		s.Script = nil
	}
}
