package cluster

import "slices"

// waiter is a turn whose replies wait.
type waiter struct {
	need uint64 // the batch that must be committed
	// lease: the replies also need a lease after it, because the batch was proposed before they were computed.
	lease bool
	done  func(safe bool)
}

// waiters are sorted by need.
type waiters []waiter

func (ws *waiters) add(w waiter) {
	at := len(*ws)
	for at > 0 && (*ws)[at-1].need > w.need {
		at--
	}
	*ws = slices.Insert(*ws, at, w)
}

// take removes those that need no batch after safe.
func (ws *waiters) take(safe uint64) (taken answered) {
	n := 0
	for n < len(*ws) && (*ws)[n].need <= safe {
		n++
	}
	taken = answered(slices.Clone((*ws)[:n]))
	*ws = slices.Delete(*ws, 0, n)
	return taken
}

func (ws *waiters) takeAll() (taken answered) {
	taken = answered(*ws)
	*ws = nil
	return taken
}

// answered are waiters that get their result. No lock is held then.
type answered []waiter

func (ws answered) answer(safe bool) {
	for _, w := range ws {
		w.done(safe)
	}
}

// Mark returns the epoch, for Wait and Later. It implements [transport.Barrier].
func (n *Node) Mark() uint64 { return n.current.Load() }

// Begun returns the number of the last batch: the position that replies need which were computed by now. It implements
// [server.Positions].
func (n *Node) Begun() uint64 { return n.queue.begun.Load() }

// ReadsWait reports that replies wait which only show keys. It implements [server.Positions].
func (n *Node) ReadsWait() bool { return true }

// Wait waits until everything is safe that was computed before the call. It reports false if the epoch of the mark has
// ended.
func (n *Node) Wait(mark uint64) bool {
	result := make(chan bool, 1)
	safe, now := n.Later(n.Begun(), mark, func(safe bool) { result <- safe })
	if !now {
		safe = <-result
	}
	return safe
}

// Later is Wait for the batches up to need, for a caller that must not wait: see [transport.Barrier]. A node that did not
// lead at the mark has answered from what is committed, or has refused.
func (n *Node) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	if need == 0 || mark == 0 {
		return true, true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if mark != n.epoch.count || !n.epoch.serving {
		return false, true
	}
	switch {
	case need >= n.queue.next():
		// Its entry will be sent after the replies were computed. So it proves that this node led until then.
		n.waiters.add(waiter{need: need, done: done})
	case need > n.queue.safe:
		n.waiters.add(waiter{need: need, lease: true, done: done})
	case n.leased():
		return true, true
	default:
		n.waitForProof(done)
	}
	return false, false
}

// waitForProof makes replies wait for the next entry. mu is held.
func (n *Node) waitForProof(done func(safe bool)) {
	n.counts.leaseMisses.Add(1)
	n.waiters.add(waiter{need: n.queue.next(), done: done})
	n.lease.wanted = true
	n.wakeUp()
}

// confirm notes that an entry of this node is committed. It reports false if the entry is not one of the present process,
// or is not in the queue any more.
func (n *Node) confirm(term, number uint64) bool {
	n.mu.Lock()
	b := n.queue.confirm(term, number)
	if b == nil {
		n.mu.Unlock()
		return false
	}
	var free answered
	if n.epoch.serving && n.epoch.term == term {
		n.lease.renew(b.sent)
		n.counts.committed(n.o.Clock.Monotonic() - b.sent)
		for _, w := range n.waiters.take(number) {
			if w.lease && !n.leased() {
				n.waitForProof(w.done)
			} else {
				free = append(free, w)
			}
		}
	}
	n.mu.Unlock()
	n.wakeUp()
	free.answer(true)
	return true
}
