package cluster

import (
	"errors"

	"cellserver/cluster/entry"
	"cellserver/cluster/pending"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// epoch is the time for which this node leads, or tries to.
type epoch struct {
	term    uint64 // raft's term in which the node leads; 0 if it does not lead
	number  uint64 // of the entry that begins the epoch
	serving bool   // that entry is applied
	resting bool   // commands do not run any more, but replies that wait still leave; see giveway.go
	failed  error  // why the epoch must end; nil if it need not
	told    bool   // the node has proposed to announce itself
}

var (
	errOutsideEpoch = errors.New("a command changed keys while this node did not lead: please report " +
		"this log entry")
	errTooLate = errors.New("a command took so long that keys may have expired meanwhile on other nodes")
)

// leads returns the term in which raft says that this node leads; 0 if it does not.
func (n *Node) leads() uint64 {
	r := n.raft.Load()
	term := r.CurrentTerm()
	if r.State() != raft.Leader || r.CurrentTerm() != term {
		return 0
	}
	return term
}

// followRaft begins and ends epochs as raft elects and deposes this node. Raft's channel may merge a lost
// and a regained leadership, so the terms are compared.
func (n *Node) followRaft() {
	term := n.leads()
	n.mu.Lock()
	e, garbage := n.epoch, n.queue.Garbage()
	n.mu.Unlock()
	n.o.Store.DropUndo(garbage)
	switch {
	case e.term != 0 && e.failed != nil:
		n.endEpoch(e.failed.Error())
	case e.term != 0 && e.term != term:
		n.endEpoch("raft has deposed this node")
	}
	if term != 0 && e.term != term && n.stall.asked == 0 && !n.broken.Load() {
		n.proposeEpoch(term)
	}
	n.updateView()
}

// proposeEpoch proposes the entry that begins an epoch.
func (n *Node) proposeEpoch(term uint64) {
	n.mu.Lock()
	body := entry.AppendEpoch(nil, entry.Epoch{
		Cluster: n.o.Cluster, Groups: 1, Databases: uint16(n.o.Store.Databases()), Features: n.level,
	})
	n.epoch = epoch{term: term, number: n.queue.Number()}
	data := append(entry.AppendHeader(nil), body...)
	data = n.finish(data, entry.Entry{Kind: entry.EpochBegins, Term: term, Batch: n.epoch.number, Time: n.clock.next()})
	n.mu.Unlock()
	if data != nil {
		n.expect(proposed{term, n.raft.Load().Apply(data, 0)})
	}
}

// failEpoch makes run end an epoch.
func (n *Node) failEpoch(term uint64, err error) {
	n.mu.Lock()
	if n.epoch.term == term && n.epoch.failed == nil {
		n.epoch.failed = err
	}
	n.mu.Unlock()
	n.wakeUp()
}

// endEpoch ends the epoch. It is unknown whether the pending effects will be committed, so the connections
// that wait are closed.
func (n *Node) endEpoch(reason string) {
	tx := n.lockAll()
	n.mu.Lock()
	ended, served := n.stopServing()
	n.mu.Unlock()
	tx.End()
	n.updateView()
	if served {
		n.log.Warn("this node does not lead any more: its clients are to ask the next leader",
			"reason", reason)
	}
	ended.Answer(false)
}

// stopServing ends the epoch while all partitions and mu are locked. It returns the waiters.
func (n *Node) stopServing() (ended pending.Waiters, served bool) {
	served = n.epoch.serving
	n.epoch = epoch{}
	n.current.Store(0)
	if n.lease.valid {
		n.fresh.from = max(n.fresh.from, n.lease.from)
	}
	n.lease.drop()
	if served {
		n.changes.Add(1)
	}
	return n.waiters.TakeAll(), served
}

// startServing begins the epoch. mu is locked.
func (n *Node) startServing() {
	n.epoch.serving = true
	n.queue.Begin(n.epoch.number)
	n.roster.NobodySilent() // raft reports again which nodes do not reply
	n.clock.reach(n.fsm.time)
	n.current.Store(n.changes.Add(1))
}

// watchLog ends the epoch of a leader whose log has not moved for a NodeTimeout although an entry waits. It
// asks another node to lead. That node may be elected at any time, so this one has no lease in this term any
// more.
func (n *Node) watchLog() {
	term := n.leads()
	n.mu.Lock()
	bytes := 0
	if b := n.queue.Oldest(); b != nil {
		bytes = b.Len()
	}
	waits := n.stall.asked > 0 || n.epoch.term != 0 && !n.epoch.serving || n.queue.Outstanding() > 0
	last, now := n.raft.Load().LastIndex(), n.o.Clock.Monotonic()
	due := n.stall.due(last, now, term != 0 && waits, bytes, n.o.NodeTimeout)
	if due {
		n.offered = term
	}
	n.mu.Unlock()
	if due {
		n.endEpoch("its disk does not answer: see why the disk is slow")
		go n.askToLead(n.stall.asked)
	}
}

// askToLead asks another node to lead, which raft cannot do while it waits for the disk.
func (n *Node) askToLead(try int) {
	if n.o.Peers == nil {
		return
	}
	a := asker{n.o.Self, n.o.Transport, n.o.Peers.Applied, n.o.NodeTimeout / 10}
	if err := a.ask(n.View(), try); err != nil {
		n.log.Warn("no other node takes the lead: the next one is asked", "reason", err)
	}
}

// Epoch returns the epoch in which this node leads, 0 if it does not. It implements [commands.Topology].
func (n *Node) Epoch() uint64 { return n.current.Load() }

// lockAll locks all partitions, in a transaction that changes nothing.
func (n *Node) lockAll() *store.Tx {
	tx := n.o.Store.NewTx()
	tx.KeepExpired = true
	tx.Begin(n.Horizon(), 0, everything())
	return tx
}
