package scripts

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/server/rulelog"
)

// shared is what all scripts share: the memory of script-memory-limit, and the lines of the log.
type shared struct {
	taken   atomic.Int64  // of running scripts, and garbage
	garbage atomic.Int64  // what scripts that have ended had taken, until a collection
	since   atomic.Int64  // how many collections had ended when there was garbage last
	turn    sync.Mutex    // held by the one who takes garbage off
	lines   rulelog.Lines // of redis.log
}

// fewBytes is what a script gives back at its end without a collection.
const fewBytes = 4 << 20

// collect collects what scripts that have ended have left.
func (s *shared) collect() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if garbage := s.garbage.Load(); garbage > 0 {
		runtime.GC()
		s.takeOff(garbage)
	}
}

func (s *shared) takeOff(garbage int64) {
	s.garbage.Add(-garbage)
	s.taken.Add(-garbage)
}

// collections returns how many collections have ended.
func collections() int64 {
	sample := [...]metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample[:])
	return int64(sample[0].Value.Uint64())
}

// Memory implements [commands.Scripts]. It takes off what Go has collected by itself: the second collection
// that ends has begun after the transactions of the scripts.
func (s *Scripts) Memory() int64 {
	all := &s.shared
	if all.garbage.Load() > 0 && all.turn.TryLock() {
		if garbage := all.garbage.Load(); collections() >= all.since.Load()+2 {
			all.takeOff(garbage)
		}
		all.turn.Unlock()
	}
	return all.taken.Load()
}

// share is the part that one run has of the memory that all scripts share. Each run also has
// machine.OwnBytes of its own, and most scripts of limiters need no more.
type share struct {
	all   *shared
	limit int64 // script-memory-limit
	taken int64
}

// more takes bytes of the shared memory. It reports whether enough bytes are left.
func (s *share) more(bytes int) bool {
	if s.all.taken.Add(int64(bytes)) > s.limit {
		s.all.taken.Add(-int64(bytes))
		return false
	}
	s.taken += int64(bytes)
	return true
}

// giveBack ends the run. It returns how many bytes are garbage once the transaction has ended: the garbage
// of a large script still takes memory.
func (s *share) giveBack() (garbage int64) {
	taken := s.taken
	if s.taken = 0; taken > fewBytes {
		return taken
	}
	if taken > 0 {
		s.all.taken.Add(-taken)
	}
	return 0
}

// waste says that bytes of scripts are garbage now.
func (s *shared) waste(garbage int64) {
	if garbage > 0 {
		s.since.Store(collections())
		s.garbage.Add(garbage)
	}
}

// mayMake reports whether the script may make more bytes. If garbage has the memory, it collects the
// garbage first, where nobody else waits.
func (r *runner) mayMake(bytes int) bool {
	switch {
	case r.share.more(bytes):
		return true
	case r.share.all.garbage.Load() == 0:
		return false
	case !r.run.call.Runner.Alone():
		r.run.verdict = commands.TakesLong
		return false
	}
	r.share.all.collect()
	return r.share.more(bytes)
}
