package group

import "slices"

// waiter is a reply, or the replies of a turn, that wait.
type waiter struct {
	need uint64 // the batch that must be committed
	// Lease: the replies also need a lease after it, because the batch was proposed before they were
	// computed.
	lease bool
	// Gathers: the caller asks again how long the batch waits for more effects.
	gathers bool
	done    func(safe bool)
}

// waiters are sorted by what they need.
type waiters []waiter

// add adds a waiter behind all that need no later batch.
func (ws *waiters) add(w waiter) {
	at := len(*ws)
	for at > 0 && (*ws)[at-1].need > w.need {
		at--
	}
	*ws = slices.Insert(*ws, at, w)
}

// take removes and returns the waiters that need no batch after safe.
func (ws *waiters) take(safe uint64) (taken waiters) {
	n := 0
	for n < len(*ws) && (*ws)[n].need <= safe {
		n++
	}
	taken = slices.Clone((*ws)[:n])
	*ws = slices.Delete(*ws, 0, n)
	return taken
}

// takeAll removes and returns all waiters.
func (ws *waiters) takeAll() (taken waiters) {
	taken, *ws = *ws, nil
	return taken
}

// answer gives each waiter the result. No lock may be held.
func (ws waiters) answer(safe bool) {
	for _, w := range ws {
		w.done(safe)
	}
}

// gather reports whether all of them gather.
func (ws waiters) gather() bool {
	return !slices.ContainsFunc(ws, func(w waiter) bool { return !w.gathers })
}
