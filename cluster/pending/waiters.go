package pending

import "slices"

// Waiter is a reply, or the replies of a turn, that wait.
type Waiter struct {
	Need uint64 // the batch that must be committed
	// Lease: the replies also need a lease after it, because the batch was proposed before they were
	// computed.
	Lease bool
	// Gathers: the caller asks again how long the batch waits for more effects.
	Gathers bool
	Done    func(safe bool)
}

// Waiters are sorted by what they need.
type Waiters []Waiter

// Add adds a waiter behind all that need no later batch.
func (ws *Waiters) Add(w Waiter) {
	at := len(*ws)
	for at > 0 && (*ws)[at-1].Need > w.Need {
		at--
	}
	*ws = slices.Insert(*ws, at, w)
}

// Take removes and returns the waiters that need no batch after safe.
func (ws *Waiters) Take(safe uint64) (taken Waiters) {
	n := 0
	for n < len(*ws) && (*ws)[n].Need <= safe {
		n++
	}
	taken = slices.Clone((*ws)[:n])
	*ws = slices.Delete(*ws, 0, n)
	return taken
}

// TakeAll removes and returns all waiters.
func (ws *Waiters) TakeAll() (taken Waiters) {
	taken, *ws = *ws, nil
	return taken
}

// Answer gives each waiter the result. No lock may be held.
func (ws Waiters) Answer(safe bool) {
	for _, w := range ws {
		w.Done(safe)
	}
}

// Gather reports whether all of them gather.
func (ws Waiters) Gather() bool {
	return !slices.ContainsFunc(ws, func(w Waiter) bool { return !w.Gathers })
}
