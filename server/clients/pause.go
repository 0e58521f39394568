package clients

// pause is a CLIENT PAUSE in force. A published pause never changes.
type pause struct {
	until int64 // last Unix millisecond of the pause
	all   bool  // holds all commands back, not only those that may write
}

// Pause implements [commands.Clients].
func (r *Registry) Pause(now, until int64, all bool) {
	for {
		old, next := r.pause.Load(), pause{until, all}
		if old != nil && old.until >= now {
			next = pause{max(old.until, until), old.all || all}
		}
		if r.pause.CompareAndSwap(old, &next) {
			return
		}
	}
}

// Unpause implements [commands.Clients].
func (r *Registry) Unpause() {
	r.pause.Store(nil)
	r.WakeAll()
}

// PausedUntil returns the Unix millisecond from which no pause is in force; 0 if there is none.
func (r *Registry) PausedUntil() int64 {
	if p := r.pause.Load(); p != nil {
		return p.until + 1
	}
	return 0
}

// MayBePaused reports whether CLIENT PAUSE was given and may still be in force.
func (r *Registry) MayBePaused() bool { return r.pause.Load() != nil }

// Paused reports whether a pause is in force at a Unix millisecond, and whether it holds all
// commands back. It removes a pause that has ended.
func (r *Registry) Paused(now int64) (paused, all bool) {
	p := r.pause.Load()
	switch {
	case p == nil:
		return false, false
	case p.until < now:
		r.pause.CompareAndSwap(p, nil)
		return false, false
	}
	return true, p.all
}

// PausedAt reports whether a pause is in force at a Unix millisecond, and changes nothing.
func (r *Registry) PausedAt(now int64) bool {
	p := r.pause.Load()
	return p != nil && p.until >= now
}
