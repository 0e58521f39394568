package cluster

import (
	"time"

	"cellserver/cluster/entry"
	"cellserver/cluster/pending"
	"cellserver/persistence/aof"
	"cellserver/store"
)

// Committed appends the effects of a transaction to a batch. It implements [store.Observer]: the partitions
// of the transaction are locked, so the order of effects on a key is that of its changes.
func (n *Node) Committed(tx *store.Tx, effects []store.Effect) {
	if tx.Applied {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current.Load() == 0 {
		if !removedOnly(effects) {
			go n.Fail(errOutsideEpoch)
		}
		return
	}
	if n.level < aof.BodyLevel {
		var ok bool
		if effects, ok = aof.InOlderForms(tx, effects, n.level); !ok {
			n.epoch.failed = errTooNew(n.level)
			n.wakeUp()
		}
	}
	undo := tx.TakeUndo()
	if tooLate(tx.Now(), n.clock.last.Load()-int64(late), undo) {
		n.epoch.failed = errTooLate
		n.wakeUp()
	}
	if n.queue.Collect(n.epoch.term, n.clock.reach(tx.Now()), effects, undo) {
		n.propose()
	}
}

// proposed is an entry that raft has.
type proposed struct {
	epoch  uint64 // the term of the epoch; see epoch.failed
	result pending.Result
}

// wait makes a reply wait, and proposes what it waits for. mu is held.
func (n *Node) wait(w pending.Waiter) {
	n.waiters.Add(w)
	if w.Gathers {
		n.proposeGathered()
	} else {
		n.propose()
	}
}

// propose gives batches to raft, as long as there is a place in the window. mu is held, so raft gets the
// batches in their order. Raft's channel has room for more entries than the window, so no goroutine waits
// here.
//
// A batch is proposed once a reply waits for it, at the end of a turn. So it has the effects of the whole
// turn.
func (n *Node) propose() {
	n.gathering.End(n.queue.Collected())
	for {
		b, data := n.nextEntry()
		if data == nil {
			return
		}
		apply := n.raft.Load().Apply
		if n.hooks.propose != nil {
			n.hooks.propose(func() { go n.expect(proposed{b.Term, apply(data, 0)}) })
		} else {
			b.Result = apply(data, 0)
		}
	}
}

// proposeGathered is propose, unless the next entry waits for more changes. It returns how long it waits. mu
// is held.
func (n *Node) proposeGathered() (wait time.Duration) {
	if wait = n.gathering.Left(n.queue.Collected(), n.o.Clock.Monotonic()); wait == 0 {
		n.propose()
	}
	return wait
}

// After an entry, the next one waits for the clients that have just got their replies. The replies take
// about as long as the entry took. The work of the clients takes as long again, and their next commands,
// too. So the wait is three times that time. With twice that time, one client in five came too late if the
// clients were on the same machine. In a cluster of one, an entry takes less time than the clients need. So
// the wait is at least leastGather, and gatherEffect more for each effect of the entry: the server must read
// and run the next commands. The wait is at most maxGather.
const (
	maxGather    = time.Millisecond
	leastGather  = 300 * time.Microsecond
	gatherEffect = 600 * time.Nanosecond
)

// gatherAfter makes the next entry wait for the clients that get their replies now, after a batch. All of
// them may come again. If there is only one client, its change never waits, because no other change is
// expected. mu is held.
func (n *Node) gatherAfter(b *pending.Batch) {
	now := n.o.Clock.Monotonic()
	wait := max(3*time.Duration(now-b.Sent), leastGather+gatherEffect*time.Duration(b.Effects()))
	n.gathering.Begin(b.Effects(), n.queue.Collected(), now+int64(min(wait, maxGather)))
}

// Gather proposes what has collected, if it is time. It implements [transport.Gatherer].
func (n *Node) Gather() (again time.Duration) {
	if !n.gathering.Open() {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queue.Collected() == 0 && !n.lease.wanted {
		return 0 // the first change will ask
	}
	return n.proposeGathered()
}

// nextEntry returns the batch to propose now, as an entry; nil if there is none. mu is held.
func (n *Node) nextEntry() (b *pending.Batch, data []byte) {
	if !n.epoch.serving || n.epoch.failed != nil || n.queue.Outstanding() >= n.o.Window {
		return nil, nil
	}
	if b = n.queue.Take(); b == nil {
		if !n.lease.wanted {
			return nil, nil
		}
		n.queue.Add(entry.Tick, n.epoch.term, n.clock.next())
		b = n.queue.Take()
	}
	n.lease.wanted = false
	b.Sent = n.o.Clock.Monotonic()
	data = b.AppendTo(entry.AppendHeader(make([]byte, 0, entry.HeaderSize+b.Len())))
	n.counts.proposed(len(data))
	return b, n.finish(data, entry.Entry{Kind: b.Kind, Term: b.Term, Batch: b.Number, Time: b.Time})
}

// finish completes an entry. If it cannot be encoded, the epoch fails.
func (n *Node) finish(data []byte, e entry.Entry) []byte {
	if err := entry.Finish(data, e); err != nil {
		n.epoch.failed = err
		n.wakeUp()
		return nil
	}
	return data
}

// expect passes an entry to the goroutine of settle, unless the node stops.
func (n *Node) expect(p proposed) {
	select {
	case n.futures <- p:
	case <-n.stop:
	}
}

// settle waits for the results of proposed entries. An error ends the epoch. Raft may stop without a result
// for an entry that is committed and not applied yet. So no goroutine waits for the end of settle.
func (n *Node) settle() {
	for {
		select {
		case p := <-n.futures:
			endWith(p.result, n.gone)
			if err := p.result.Error(); err != nil {
				n.failEpoch(p.epoch, err)
			}
		case <-n.stop:
			return
		}
	}
}

// expectOverdue passes the oldest entry to the goroutine of settle if the entry still has no majority after
// a tick. No goroutine waits for the results of the other entries, because each result would wake a
// goroutine.
func (n *Node) expectOverdue() {
	n.mu.Lock()
	b := n.queue.Oldest()
	overdue := b != nil && b.Result != nil && n.o.Clock.Monotonic()-b.Sent >= int64(n.o.NodeTimeout/4)
	var p proposed
	if overdue {
		p, b.Result = proposed{b.Term, b.Result}, nil
	}
	n.mu.Unlock()
	if overdue {
		n.expect(p)
	}
}
