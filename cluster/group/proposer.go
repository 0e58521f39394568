package group

import (
	"errors"
	"time"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// Committed appends the effects of a transaction to a batch. It implements [store.Observer]: the partitions
// of the transaction are locked, so the order of effects on a key is that of its changes.
func (g *Group) Committed(tx *store.Tx, effects []store.Effect) {
	if tx.Applied {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current.Load() == 0 {
		if g.raft.Load() != nil && !removedOnly(effects) {
			go g.Fail(errOutsideEpoch)
		}
		return
	}
	undo := tx.TakeUndo()
	if tooLate(tx.Now(), g.clock.last.Load()-int64(late), undo) {
		g.epoch.failed = errTooLate
		g.wakeUp()
	}
	if g.queue.collect(g.epoch.term, g.clock.reach(tx.Now()), effects, undo) {
		g.propose()
	}
}

// proposed is an entry that raft has.
type proposed struct {
	epoch  uint64 // the term of the epoch; see epoch.failed
	result raft.Future
}

// wait makes a reply wait, and proposes what it waits for. mu is held.
func (g *Group) wait(w waiter) {
	g.waiters.add(w)
	if w.gathers {
		g.proposeGathered()
	} else {
		g.propose()
	}
}

// propose gives batches to raft, as long as there is a place in the window. mu is held, so raft gets the
// batches in their order. Raft's channel has room for more entries than the window, so no goroutine waits
// here.
//
// A batch is proposed once a reply waits for it, at the end of a turn. So it has the effects of the whole
// turn.
func (g *Group) propose() {
	g.gathering.end(g.queue.collected())
	for {
		b, data := g.nextEntry()
		if data == nil {
			return
		}
		apply := g.raft.Load().Apply
		if g.hooks.propose != nil {
			g.hooks.propose(func() { go g.expect(proposed{b.term, apply(data, 0)}) })
		} else {
			b.result = apply(data, 0)
		}
	}
}

// proposeGathered is propose, unless the next entry waits for more changes. It returns how long it waits. mu
// is held.
func (g *Group) proposeGathered() (wait time.Duration) {
	if wait = g.gathering.left(g.queue.collected(), g.o.Clock.Monotonic()); wait == 0 {
		g.propose()
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
func (g *Group) gatherAfter(b *batch) {
	now := g.o.Clock.Monotonic()
	wait := max(3*time.Duration(now-b.sent), leastGather+gatherEffect*time.Duration(b.effects))
	g.gathering.begin(b.effects, g.queue.collected(), now+int64(min(wait, maxGather)))
}

// Gather proposes what has collected, if it is time. It implements [transport.Gatherer].
func (g *Group) Gather() (again time.Duration) {
	if !g.gathering.open.Load() {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queue.collected() == 0 && !g.lease.wanted {
		return 0 // the first change will ask
	}
	return g.proposeGathered()
}

// nextEntry returns the batch to propose now, as an entry; nil if there is none. mu is held.
func (g *Group) nextEntry() (b *batch, data []byte) {
	if !g.epoch.serving || g.epoch.failed != nil || g.queue.outstanding() >= g.o.Window {
		return nil, nil
	}
	if b = g.queue.take(); b == nil {
		if !g.lease.wanted {
			return nil, nil
		}
		g.queue.add(entry.Tick, g.epoch.term, g.clock.next())
		b = g.queue.take()
	}
	g.lease.wanted = false
	b.sent = g.o.Clock.Monotonic()
	data = b.appendTo(entry.AppendHeader(make([]byte, 0, entry.HeaderSize+b.length())))
	g.counts.proposed(len(data))
	return b, g.finish(data, entry.Entry{Kind: b.kind, Term: b.term, Batch: b.number, Time: b.time})
}

// finish completes an entry. If it cannot be encoded, the epoch fails.
func (g *Group) finish(data []byte, e entry.Entry) []byte {
	if err := entry.Finish(data, e); err != nil {
		g.epoch.failed = err
		g.wakeUp()
		return nil
	}
	return data
}

// expect passes an entry to the goroutine of settle, unless the node stops.
func (g *Group) expect(p proposed) {
	select {
	case g.futures <- p:
	case <-g.stop:
	}
}

// settle waits for the results of proposed entries. An error ends the epoch. Raft may stop without a result
// for an entry that is committed and not applied yet. So no goroutine waits for the end of settle.
func (g *Group) settle() {
	for {
		select {
		case p := <-g.futures:
			if err := g.await(p.result); err != nil {
				g.failEpoch(p.epoch, err)
			}
		case <-g.stop:
			return
		}
	}
}

// expectOverdue passes the oldest entry to the goroutine of settle if the entry still has no majority after
// a tick. No goroutine waits for the results of the other entries, because each result would wake a
// goroutine.
func (g *Group) expectOverdue() {
	g.mu.Lock()
	b := g.queue.oldest()
	overdue := b != nil && b.result != nil && g.o.Clock.Monotonic()-b.sent >= int64(g.o.NodeTimeout/4)
	var p proposed
	if overdue {
		p, b.result = proposed{b.term, b.result}, nil
	}
	g.mu.Unlock()
	if overdue {
		g.expect(p)
	}
}

var (
	errNotLeader = errors.New("this node does not lead: ask the leader")
	errUnknown   = errors.New("it is unknown whether this was done, because the leader has changed: " +
		"see CLUSTER NODES")
)

// enqueue adds an entry to the queue; done is called as soon as the entry is committed.
func (g *Group) enqueue(kind entry.Kind, body []byte, done func(safe bool)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current.Load() == 0 {
		return errNotLeader
	}
	b := g.queue.add(kind, g.epoch.term, g.clock.next())
	b.fixed = body
	g.wait(waiter{need: b.number, done: done})
	return nil
}

// announceSelf makes a new leader announce itself, unless the log has announced it with exactly these fields.
func (g *Group) announceSelf() {
	g.mu.Lock()
	announced := g.roster.Knows(g.o.Self) || g.epoch.told || g.current.Load() == 0
	g.epoch.told = g.epoch.told || !announced
	g.mu.Unlock()
	if announced {
		return
	}
	if body, err := roster.Encode(g.o.Self); err != nil {
		g.log.Error("this node cannot be announced: correct cluster-announce-ip and cluster-announce-port",
			"error", err)
	} else {
		_ = g.enqueue(entry.NodeKnown, body, func(bool) {}) // the next leader tries again
	}
}
