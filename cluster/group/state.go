package group

import (
	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// fsmState is the result of the applied entries besides the keys. Snapshots have it, so all nodes drop the
// same entries.
type fsmState struct {
	term  uint64 // of the last entry that counted
	batch uint64 // its number
	time  int64  // the time of the log, in Unix nanoseconds
}

// follows reports whether an entry counts. Effects that were collected in one epoch and proposed in a later
// epoch must not count, because they were computed from an older state.
func (s *fsmState) follows(e *entry.Entry, term uint64) bool {
	switch {
	case e.Term != term:
		return false
	case e.Kind == entry.EpochBegins:
		return true
	}
	return e.Term == s.term && e.Batch == s.batch+1
}

// take notes an entry that counts.
func (s *fsmState) take(e *entry.Entry) {
	s.term, s.batch, s.time = e.Term, e.Batch, max(s.time, e.Time)
}

// hooks are steps that tests replace with faulty steps, to see that other tests notice the faults.
type hooks struct {
	follows func(s *fsmState, e *entry.Entry, term uint64) bool
	revert  func(undo []store.Undo)
	propose func(apply func()) // gives an entry to raft by apply, at once or later; nil for at once
	watch   func()             // watchLog
	run     func()             // is called before each step of run; nil for nothing

	voting func(raft.Transport) raft.Transport // makes a transport count only the votes of the nodes asked
}
