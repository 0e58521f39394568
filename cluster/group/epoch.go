package group

import (
	"errors"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// epoch is the time for which this node leads, or tries to.
type epoch struct {
	term    uint64 // raft's term in which the node leads; 0 if it does not lead
	number  uint64 // of the entry that begins the epoch
	serving bool   // that entry is applied
	failed  error  // why the epoch must end; nil if it need not
	told    bool   // the node has proposed to announce itself
}

var (
	errOutsideEpoch = errors.New("a command changed keys while this node did not lead: please report " +
		"this log entry")
	errTooLate = errors.New("a command took so long that keys may have expired meanwhile on other nodes")
)

// leads returns the term in which raft says that this node leads; 0 if it does not.
func (g *Group) leads() uint64 {
	r := g.raft.Load()
	term := r.CurrentTerm()
	if r.State() != raft.Leader || r.CurrentTerm() != term {
		return 0
	}
	return term
}

// followRaft begins and ends epochs as raft elects and deposes this node. Raft's channel may merge a lost
// and a regained leadership, so the terms are compared.
func (g *Group) followRaft() {
	term := g.leads()
	g.mu.Lock()
	e, garbage := g.epoch, g.queue.takeGarbage()
	g.mu.Unlock()
	g.o.Store.DropUndo(garbage)
	switch {
	case e.term != 0 && e.failed != nil:
		g.endEpoch(e.failed.Error())
	case e.term != 0 && e.term != term:
		g.endEpoch("raft has deposed this node")
	}
	if term != 0 && e.term != term && g.stall.asked == 0 && !g.broken.Load() {
		g.proposeEpoch(term)
	}
	g.updateView()
}

// proposeEpoch proposes the entry that begins an epoch.
func (g *Group) proposeEpoch(term uint64) {
	g.mu.Lock()
	body := entry.AppendEpoch(nil, entry.Epoch{
		Cluster: g.o.Cluster, Groups: 1, Databases: uint16(g.o.Store.Databases()), Features: g.level,
	})
	g.epoch = epoch{term: term, number: g.queue.number()}
	g.clock.lead(g.clock.log.Load())
	data := append(entry.AppendHeader(nil), body...)
	data = g.finish(data, entry.Entry{Kind: entry.EpochBegins, Term: term, Batch: g.epoch.number,
		Time: g.clock.next()})
	g.mu.Unlock()
	if data != nil {
		g.expect(proposed{term, g.raft.Load().Apply(data, 0)})
	}
}

// failEpoch makes run end an epoch.
func (g *Group) failEpoch(term uint64, err error) {
	g.mu.Lock()
	if g.epoch.term == term && g.epoch.failed == nil {
		g.epoch.failed = err
	}
	g.mu.Unlock()
	g.wakeUp()
}

// endEpoch ends the epoch. It is unknown whether the pending effects will be committed, so the connections
// that wait are closed, also those that wait for keys. Scripts end, too.
func (g *Group) endEpoch(reason string) {
	defer g.scripts.end(0)()
	tx := g.lockAll()
	g.mu.Lock()
	waiting, served := g.stopServing()
	g.mu.Unlock()
	tx.End()
	g.updateView()
	if served {
		g.log.Warn("this node does not lead any more: its clients are to ask the next leader",
			"reason", reason)
	}
	waiting.answer(false)
	if served {
		g.o.tellEpoch(false)
	}
}

// stopServing ends the epoch while all partitions and mu are locked. It returns the waiters.
func (g *Group) stopServing() (ended waiters, served bool) {
	served = g.epoch.serving
	g.epoch = epoch{}
	g.current.Store(0)
	if g.lease.valid {
		g.fresh.from = max(g.fresh.from, g.lease.from)
	}
	g.lease = lease{}
	if served {
		g.changes.Add(1)
	}
	return g.waiters.takeAll(), served
}

// startServing begins the epoch. mu is locked.
func (g *Group) startServing() {
	g.epoch.serving = true
	g.queue.begin(g.epoch.number)
	g.roster.NobodySilent() // raft reports again which nodes do not reply
	if gap := g.clock.lead(g.fsm.time); gap > 0 {
		g.log.Warn("the log is from the future: a clock was set back since. Limits and expiries go on from "+
			"the time of the log; check the clock if the time is wrong now", "seconds", gap/1e9)
	}
	g.current.Store(g.changes.Add(1))
}

// watchLog ends the epoch of a leader whose log has not moved for a NodeTimeout although an entry waits. It
// asks another node to lead. That node may be elected at any time, so this one has no lease in this term any
// more.
func (g *Group) watchLog() {
	term := g.leads()
	g.mu.Lock()
	bytes := 0
	if b := g.queue.oldest(); b != nil {
		bytes = b.length()
	}
	waits := g.stall.asked > 0 || g.epoch.term != 0 && !g.epoch.serving || g.queue.outstanding() > 0
	moved, now := g.raft.Load().LastIndex()+g.applied.Load(), g.o.Clock.Monotonic()
	due := g.stall.due(moved, now, term != 0 && waits, bytes, g.o.NodeTimeout)
	if due {
		g.offered = term
	}
	g.mu.Unlock()
	if due {
		g.endEpoch("an entry has waited too long: see whether the disk of this node is slow, or the others")
		go g.askToLead(g.stall.asked)
	}
}

// lockAll locks all partitions, in a transaction that changes nothing.
func (g *Group) lockAll() *store.Tx {
	tx := g.o.Store.NewTx()
	tx.KeepExpired = true
	tx.BeginAll(g.Horizon(), 0)
	return tx
}

// Horizon returns the time up to which each node may remove expired keys by itself, in Unix nanoseconds. It
// is 0 while the keys are incomplete: they may be older than the log, and a later entry may make a key live
// longer.
func (g *Group) Horizon() int64 {
	if g.hidden.Load() {
		return 0
	}
	return g.clock.ofFollowers()
}
