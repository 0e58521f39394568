package cluster

import "cellserver/cluster/pending"

// Mark returns how many epochs have begun or ended here, for Wait and Later. It implements
// [transport.Barrier].
func (n *Node) Mark() uint64 { return n.changes.Load() }

// Begun returns the number of the last batch. Every reply that was computed before the call needs at most
// this position. It implements [server.Positions].
func (n *Node) Begun() uint64 { return n.queue.Begun() }

// ReadsWait reports true: replies that only show keys wait, too. It implements [server.Positions].
func (n *Node) ReadsWait() bool { return true }

// Wait waits until everything that was computed before the call is safe. It reports false if the epoch of
// the mark has ended.
func (n *Node) Wait(mark uint64) bool {
	result := make(chan bool, 1)
	safe, now := n.later(mark, pending.Waiter{Need: n.Begun(), Done: func(safe bool) { result <- safe }})
	if !now {
		safe = <-result
	}
	return safe
}

// Later is Wait for the batches up to need, for a caller that must not wait: see [transport.Barrier]. A node
// that has not led since the mark has refused the commands, or has answered from committed entries. If an
// epoch has begun since the mark, some of the commands may have run in this epoch.
func (n *Node) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	return n.later(mark, pending.Waiter{Need: need, Gathers: true, Done: done})
}

func (n *Node) later(mark uint64, w pending.Waiter) (safe, now bool) {
	outside := mark%2 == 0
	if w.Need == 0 || outside && mark == n.changes.Load() {
		return true, true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if began := outside && n.changes.Load() == mark+1; !began && n.changes.Load() != mark {
		return false, true
	}
	switch {
	case w.Need >= n.queue.Next():
		// Its entry will be sent after the replies were computed. So it proves that this node led until then.
		n.wait(w)
	case w.Need > n.queue.Safe():
		w.Lease = true
		n.waiters.Add(w)
	case n.leased():
		return true, true
	default:
		n.waitForProof(w)
	}
	return false, false
}

// waitForProof makes replies wait for the next entry. mu is held.
func (n *Node) waitForProof(w pending.Waiter) {
	n.counts.leaseMisses.Add(1)
	n.lease.wanted = true
	w.Need, w.Lease = n.queue.Next(), false
	n.wait(w)
}

// confirm notes that an entry of this node is committed. It reports false if an earlier process proposed the
// entry, or if the entry is no longer in the queue.
func (n *Node) confirm(term, number uint64) bool {
	n.mu.Lock()
	b := n.queue.Confirm(term, number)
	if b == nil {
		n.mu.Unlock()
		return false
	}
	free := n.freeWaiters(b)
	if len(free) > 0 && free.Gather() && n.waiters.Gather() && n.queue.Outstanding() == 0 {
		n.gatherAfter(b)
	}
	n.proposeGathered()
	garbage := n.queue.HasGarbage()
	n.mu.Unlock()
	if garbage {
		n.wakeUp()
	}
	free.Answer(true)
	return true
}

// freeWaiters returns the waiters that need nothing more after a committed batch. mu is held.
func (n *Node) freeWaiters(b *pending.Batch) (free pending.Waiters) {
	if !n.epoch.serving || n.epoch.term != b.Term {
		return nil
	}
	n.lease.renew(b.Sent)
	n.counts.committed(n.o.Clock.Monotonic() - b.Sent)
	for _, w := range n.waiters.Take(b.Number) {
		if w.Lease && !n.leased() {
			n.waitForProof(w)
		} else {
			free = append(free, w)
		}
	}
	return free
}
