package cluster

import "cellserver/cluster/pending"

// Mark returns how many epochs have begun or ended here, for Wait and Later. It implements [transport.Barrier].
func (n *Node) Mark() uint64 { return n.changes.Load() }

// Begun returns the number of the last batch: the position that replies need which were computed by now. It implements
// [server.Positions].
func (n *Node) Begun() uint64 { return n.queue.Begun() }

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

// Later is Wait for the batches up to need, for a caller that must not wait: see [transport.Barrier]. A node that has not
// led since the mark has answered from what is committed, or has refused. If its epoch has begun since, some of the
// commands may have run in it.
func (n *Node) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	outside := mark%2 == 0
	if need == 0 || outside && mark == n.changes.Load() {
		return true, true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if began := outside && n.changes.Load() == mark+1; !began && n.changes.Load() != mark {
		return false, true
	}
	switch {
	case need >= n.queue.Next():
		// Its entry will be sent after the replies were computed. So it proves that this node led until then.
		n.wait(pending.Waiter{Need: need, Done: done})
	case need > n.queue.Safe():
		n.waiters.Add(pending.Waiter{Need: need, Lease: true, Done: done})
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
	n.lease.wanted = true
	n.wait(pending.Waiter{Need: n.queue.Next(), Done: done})
}

// confirm notes that an entry of this node is committed. It reports false if the entry is not one of the present process,
// or is not in the queue any more.
func (n *Node) confirm(term, number uint64) bool {
	n.mu.Lock()
	b := n.queue.Confirm(term, number)
	if b == nil {
		n.mu.Unlock()
		return false
	}
	var free pending.Waiters
	if n.epoch.serving && n.epoch.term == term {
		n.lease.renew(b.Sent)
		n.counts.committed(n.o.Clock.Monotonic() - b.Sent)
		for _, w := range n.waiters.Take(number) {
			if w.Lease && !n.leased() {
				n.waitForProof(w.Done)
			} else {
				free = append(free, w)
			}
		}
	}
	n.propose()
	garbage := n.queue.HasGarbage()
	n.mu.Unlock()
	if garbage {
		n.wakeUp()
	}
	free.Answer(true)
	return true
}
