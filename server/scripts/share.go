package scripts

import (
	"runtime"
	"sync"
	"sync/atomic"

	"cellserver/commands"
)

// shared is the memory that all scripts share: script-memory-limit.
type shared struct {
	taken   atomic.Int64 // of running scripts, and garbage
	garbage atomic.Int64 // what scripts that have ended had taken, until a collection
	turn    sync.Mutex   // held by the script that collects
}

// fewBytes is what a script gives back at its end without a collection.
const fewBytes = 4 << 20

// collect collects what scripts that have ended have left.
func (s *shared) collect() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if garbage := s.garbage.Load(); garbage > 0 {
		runtime.GC()
		s.garbage.Add(-garbage)
		s.taken.Add(-garbage)
	}
}

// Memory implements [commands.Scripts].
func (s *Scripts) Memory() int64 { return s.shared.taken.Load() - s.shared.garbage.Load() }

// share is the part that one run has of the memory that all scripts share. Each run also has
// machine.OwnBytes of its own, and most scripts of limiters need no more.
type share struct {
	of    *shared
	limit int64 // script-memory-limit
	taken int64
}

// more takes bytes of the shared memory. It reports whether enough bytes are left.
func (s *share) more(bytes int) bool {
	if s.of.taken.Add(int64(bytes)) > s.limit {
		s.of.taken.Add(-int64(bytes))
		return false
	}
	s.taken += int64(bytes)
	return true
}

// giveBack ends the run. The garbage of a large script still takes memory.
func (s *share) giveBack() {
	switch {
	case s.taken == 0:
		return
	case s.taken > fewBytes:
		s.of.garbage.Add(s.taken)
	default:
		s.of.taken.Add(-s.taken)
	}
	s.taken = 0
}

// mayMake reports whether the script may make more bytes. If garbage has the memory, it collects the
// garbage first, where nobody else waits.
func (r *runner) mayMake(bytes int) bool {
	switch {
	case r.share.more(bytes):
		return true
	case r.share.of.garbage.Load() == 0:
		return false
	case !r.run.call.Runner.Alone():
		r.run.verdict = commands.TakesLong
		return false
	}
	r.share.of.collect()
	return r.share.more(bytes)
}
