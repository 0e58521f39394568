package server

// nobody has the turn while no follower's commands run, and clients do not write either.
var nobody turn

// Move makes clients only read, or ends that, as a key of the cluster says. While `copying`, keys are
// incomplete, and clients do not read either. The caller holds the partition of the key.
func (s *Server) Move(on, copying bool) {
	s.changeCondition(func(now *Condition) bool {
		was := *now
		switch now.copying = copying; {
		case !on:
			now.follows = nil
		case now.follows == nil:
			now.follows = &nobody
		}
		return *now != was
	})
}

// Moved wakes the clients that wait, because the server has begun or ended to follow.
func (s *Server) Moved() { s.clients.WakeAll() }

// Copying makes the keys incomplete, or whole, for as long as the follower has the turn.
func (f *Follower) Copying(on bool) {
	f.server.changeCondition(func(now *Condition) bool {
		now.copying = on
		return now.follows == &f.turn
	})
}

// NobodysTurn makes clients only read, and ends the turn of a follower. Partitions may be locked: it is one
// moment with what their transaction does.
func (s *Server) NobodysTurn() {
	s.changeCondition(func(now *Condition) bool {
		now.follows = &nobody
		return true
	})
}

// TakeTurn lets the commands of a follower run, if the server is to follow. It reports whether they may.
func (s *Server) TakeTurn(f *Follower) (taken bool) {
	return s.changeCondition(func(now *Condition) bool {
		if now.follows == nil {
			return false
		}
		now.follows = &f.turn
		return true
	})
}

// HasTurn reports whether the commands of the follower may run.
func (f *Follower) HasTurn() bool { return f.server.Condition().follows == &f.turn }
