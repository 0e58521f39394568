package scripts

import "sync/atomic"

// share is the part that one run has of the memory that all scripts share. Each run also has machine.OwnBytes of its own, and
// most scripts of limiters need no more.
type share struct {
	of    *atomic.Int64 // Scripts.memory
	limit int64         // script-memory-limit
	taken int64
}

// more takes bytes of the shared memory. It reports whether enough bytes are left.
func (s *share) more(bytes int) bool {
	if s.of.Add(int64(bytes)) > s.limit {
		s.of.Add(-int64(bytes))
		return false
	}
	s.taken += int64(bytes)
	return true
}

// giveBack ends the run.
func (s *share) giveBack() {
	if s.taken > 0 {
		s.of.Add(-s.taken)
		s.taken = 0
	}
}
