package group

// Mark returns how many epochs have begun or ended here, for Wait and Later. It implements
// [transport.Barrier].
func (g *Group) Mark() uint64 { return g.changes.Load() }

// Begun returns the number of the last batch. Every reply that was computed before the call needs at most
// this position. It implements [server.Positions].
func (g *Group) Begun() uint64 { return g.queue.begun.Load() }

// Wait waits until everything that was computed before the call is safe. It reports false if the epoch of
// the mark has ended.
func (g *Group) Wait(mark uint64) bool {
	result := make(chan bool, 1)
	safe, now := g.later(mark, waiter{need: g.Begun(), done: func(safe bool) { result <- safe }})
	if !now {
		safe = <-result
	}
	return safe
}

// Later is Wait for the batches up to need, for a caller that must not wait: see [transport.Barrier]. A node
// that has not led since the mark has refused the commands, or has answered from committed entries. If an
// epoch has begun since the mark, some of the commands may have run in this epoch.
func (g *Group) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	return g.later(mark, waiter{need: need, gathers: true, done: done})
}

func (g *Group) later(mark uint64, w waiter) (safe, now bool) {
	outside := mark%2 == 0
	if w.need == 0 || outside && mark == g.changes.Load() {
		return true, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if began := outside && g.changes.Load() == mark+1; !began && g.changes.Load() != mark {
		return false, true
	}
	switch {
	case w.need >= g.queue.next():
		// Its entry will be sent after the replies were computed. So it proves that this node led until then.
		g.wait(w)
	case w.need > g.queue.safe:
		w.lease = true
		g.waiters.add(w)
	case g.leased():
		return true, true
	default:
		g.waitForProof(w)
	}
	return false, false
}

// waitForProof makes replies wait for the next entry. mu is held.
func (g *Group) waitForProof(w waiter) {
	g.counts.leaseMisses.Add(1)
	g.lease.wanted = true
	w.need, w.lease = g.queue.next(), false
	g.wait(w)
}

// confirm notes that an entry of this node is committed. It reports false if an earlier process proposed the
// entry, or if the entry is no longer in the queue.
func (g *Group) confirm(term, number uint64) bool {
	g.mu.Lock()
	b := g.queue.confirm(term, number)
	if b == nil {
		g.mu.Unlock()
		return false
	}
	free := g.freeWaiters(b)
	if len(free) > 0 && free.gather() && g.waiters.gather() && g.queue.outstanding() == 0 {
		g.gatherAfter(b)
	}
	g.proposeGathered()
	garbage := len(g.queue.garbage) > 0
	g.mu.Unlock()
	if garbage {
		g.wakeUp()
	}
	free.answer(true)
	return true
}

// freeWaiters returns the waiters that need nothing more after a committed batch. mu is held.
func (g *Group) freeWaiters(b *batch) (free waiters) {
	if !g.epoch.serving || g.epoch.term != b.term {
		return nil
	}
	g.lease.renew(b.sent)
	g.counts.committed(g.o.Clock.Monotonic() - b.sent)
	for _, w := range g.waiters.take(b.number) {
		if w.lease && !g.leased() {
			g.waitForProof(w)
		} else {
			free = append(free, w)
		}
	}
	return free
}
