package group

import (
	"sync/atomic"
	"time"
)

// scripts ends scripts that hold keys for too long. A script may hold keys for ever, and raft's goroutine that
// applies entries would wait for it. Raft itself would wait for this goroutine. Then a follower would take no
// more entries, and a leader would confirm none.
type scripts struct {
	stop   func(before int64)                      // see [Options.StopScripts]
	endAll func(after time.Duration) (done func()) // see [Options.EndScripts]
	calls  atomic.Uint64                           // of raft to machine, begun and ended: odd while one runs
	last   uint64                                  // calls at the last tick
	ticks  int                                     // for how many ticks the same call has run
}

// youngest is how long hurry lets each script run.
const youngest = 50 * time.Millisecond

// end ends every script that takes long, after a time and until the caller calls done.
func (s *scripts) end(after time.Duration) (done func()) {
	if s.endAll == nil {
		return func() {}
	}
	return s.endAll(after)
}

// call notes that a call of raft to machine begins, and returns what notes its end.
func (s *scripts) call() (ended func()) {
	s.calls.Add(1)
	return func() { s.calls.Add(1) }
}

// mostTicks is for how many ticks a call may run before hurry ends the scripts. They take less than a
// NodeTimeout, so that the leader stays.
const mostTicks = 2

// hurry ends the scripts that take long if a call of raft to machine takes long. A script of EXEC counts as one
// that takes long, also if it is short, and what it has done stays. So those that have just begun go on. Only run
// calls it, once a tick.
func (s *scripts) hurry(now int64) {
	if calls := s.calls.Load(); calls%2 == 0 || calls != s.last {
		s.last, s.ticks = calls, 0
		return
	}
	if s.ticks++; s.ticks >= mostTicks && s.stop != nil {
		s.stop(now - int64(youngest))
	}
}
