package cluster

import (
	"slices"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// Committed appends the effects of a transaction to a batch. It implements [store.Observer]: the partitions of the
// transaction are locked, so the order of effects on a key is that of its changes.
func (n *Node) Committed(tx *store.Tx, effects []store.Effect) {
	if tx.Applied {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current.Load() == 0 {
		if !removedOnly(effects) {
			go n.fail(errOutsideEpoch)
		}
		return
	}
	undo := tx.TakeUndo()
	if n.tooLate(tx.Now(), undo) {
		n.epoch.failed = errTooLate
	}
	n.queue.Collect(n.epoch.term, n.clock.reach(tx.Now()), effects, undo)
	n.wakeUp()
}

// tooLate reports whether a transaction at now has changed a key that expired before the time of an earlier entry. Other
// nodes may remove such a key before they have the entry of the transaction. mu is held.
func (n *Node) tooLate(now int64, undo []store.Undo) bool {
	limit := n.clock.last.Load() - int64(late)
	if now >= limit {
		return false
	}
	return slices.ContainsFunc(undo, func(u store.Undo) bool {
		at := u.Before.ExpireAt
		return u.Before.Kind != store.None && at != store.NoExpiry && at >= now/1e6 && at <= limit/1e6
	})
}

// removedOnly reports whether effects only remove keys that have expired.
func removedOnly(effects []store.Effect) bool {
	for i := range effects {
		if effects[i].Op != store.OpDel || !effects[i].Expired {
			return false
		}
	}
	return true
}

// proposed is an entry that raft has.
type proposed struct {
	epoch  uint64 // the term of the epoch; see epoch.failed
	future raft.ApplyFuture
}

// propose gives batches to raft, as long as there is a place in the window.
func (n *Node) propose() {
	for {
		data, term := n.nextEntry()
		if data == nil {
			return
		}
		if n.hooks.propose != nil {
			n.hooks.propose()
		}
		n.expect(proposed{term, n.raft.Load().Apply(data, 0)})
	}
}

// nextEntry returns the entry to propose now, and the term of its epoch; nil if there is none.
func (n *Node) nextEntry() (data []byte, term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.epoch.serving || n.epoch.failed != nil || n.queue.Outstanding() >= n.o.Window {
		return nil, 0
	}
	b := n.queue.Take()
	if b == nil {
		if !n.lease.wanted {
			return nil, 0
		}
		n.queue.Add(entry.Tick, n.epoch.term, n.clock.next())
		b = n.queue.Take()
	}
	n.lease.wanted = false
	b.Sent = n.o.Clock.Monotonic()
	data = b.AppendTo(entry.AppendHeader(make([]byte, 0, entry.HeaderSize+b.Len())))
	n.counts.proposed(len(data))
	return n.finish(data, entry.Entry{Kind: b.Kind, Term: b.Term, Batch: b.Number, Time: b.Time}), b.Term
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

// expect gives an entry to settle, unless the node stops.
func (n *Node) expect(p proposed) {
	select {
	case n.futures <- p:
	case <-n.stop:
	}
}

// settle waits for the results of proposed entries. An error ends the epoch. Raft may stop
// without a result for an entry that is committed and not applied yet. So nobody waits for settle.
func (n *Node) settle() {
	for p := range n.futures {
		if err := p.future.Error(); err != nil {
			n.failEpoch(p.epoch, err)
		}
	}
}
