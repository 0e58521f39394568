package cluster

import (
	"fmt"
	"io"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// machine is what raft calls on the goroutine that applies entries. It implements [raft.FSM].
type machine struct{ n *Node }

// Apply does what a committed entry says.
func (m machine) Apply(l *raft.Log) any { return m.n.applyLog(l) }

// Snapshot returns the keyspace of this moment.
func (m machine) Snapshot() (raft.FSMSnapshot, error) { return m.n.snapshot() }

// Restore replaces the keyspace.
func (m machine) Restore(in io.ReadCloser) error { return m.n.restore(in) }

// StoreConfiguration notes who takes part. It implements [raft.ConfigurationStore].
func (m machine) StoreConfiguration(index uint64, c raft.Configuration) {
	m.n.mu.Lock()
	m.n.roster.Configure(c)
	m.n.mu.Unlock()
	m.n.applied.Store(index)
	m.n.updateView()
}

// applyLog does what a committed entry says, if it counts.
func (n *Node) applyLog(l *raft.Log) error {
	if n.broken.Load() {
		return errBroken
	}
	e, err := entry.Parse(l.Data)
	switch {
	case err != nil:
	case n.hooks.follows(&n.fsm, &e, l.Term):
		n.fsm.take(&e)
		err = n.applyEntry(&e)
		n.clock.log.Store(n.fsm.time)
	default:
		n.counts.dropped.Add(1)
	}
	if err != nil {
		n.Fail(fmt.Errorf("entry %d of the log cannot be applied: %w", l.Index, err))
		return err
	}
	n.applied.Store(l.Index)
	return nil
}

// applyEntry does what an entry that counts says. A caller that waits for an entry about a node continues
// after the change.
func (n *Node) applyEntry(e *entry.Entry) (err error) {
	switch e.Kind {
	case entry.EpochBegins:
		return n.applyEpoch(e)
	case entry.NodeKnown:
		err = n.changeRoster(func() error { return n.roster.Note(e.Body) })
	case entry.NodeGone:
		err = n.changeRoster(func() error { return n.roster.Remove(e.Body) })
	case entry.LevelRaised:
		err = n.applyLevel(e)
	}
	if err != nil {
		return err
	}
	if mine := n.confirm(e.Term, e.Batch); mine || e.Kind != entry.Effects {
		return nil // what this node has proposed is in its store
	}
	return n.apply.Apply(e.Body, n.Horizon())
}

// applyLevel raises the feature level.
func (n *Node) applyLevel(e *entry.Entry) error {
	level, err := entry.ParseLevel(e.Body)
	if err != nil {
		return err
	}
	return n.follow(level)
}

// follow raises the level of this node to the feature level of an entry or of a snapshot. It returns an
// error if this node does not know that level.
func (n *Node) follow(level uint16) error {
	if err := checkLevel(level, n.knows()); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if level > n.level {
		n.log.Info("the feature level of the cluster has risen", "from", n.level, "to", level)
		n.level = level
		n.queue.SetLevel(level)
	}
	return nil
}

// knows returns the highest feature level that this node knows. Tests lower it.
func (n *Node) knows() uint16 { return uint16(n.o.Self.Features) }

// applyEpoch takes back the uncommitted effects of an older epoch of this node, because they can no longer be
// committed. If this node has proposed the entry, it serves from now on.
func (n *Node) applyEpoch(e *entry.Entry) error {
	if err := n.checkEpoch(e); err != nil {
		return err
	}
	n.endOlder()
	if err := n.takeBack(); err != nil {
		return err
	}
	if n.beginOrFollow(e) {
		n.log.Info("this node leads the cluster now", "term", e.Term)
		n.wakeUp()
	}
	return nil
}

// beginOrFollow begins the epoch of an entry if this node has proposed the entry. It reports whether the
// epoch has begun. Only changes that a node made as a leader are ever taken back, so a follower collects no
// undos.
func (n *Node) beginOrFollow(e *entry.Entry) (begun bool) {
	defer n.updateView()
	n.mu.Lock()
	mine := n.isOwn(e)
	n.mu.Unlock()
	n.o.Store.KeepUndo(mine)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue.Drop()
	if mine = mine && n.isOwn(e); mine {
		n.startServing()
	}
	return mine
}

// isOwn reports whether an entry begins the epoch that this node has proposed. mu is held.
func (n *Node) isOwn(e *entry.Entry) bool {
	return n.epoch.term == e.Term && n.epoch.number == e.Batch && n.epoch.failed == nil
}

// endOlder ends the epoch of this node, because another node leads already.
func (n *Node) endOlder() {
	n.mu.Lock()
	serving := n.epoch.serving
	n.mu.Unlock()
	if serving {
		n.endEpoch("another node leads")
	}
}

// takeBack removes the effects of all batches in the queue from the store. No command runs meanwhile, and
// the view says that no client may read.
func (n *Node) takeBack() error {
	n.mu.Lock()
	undo, effects, whole := n.queue.Undo()
	n.mu.Unlock()
	switch {
	case effects == 0:
		return nil
	case !whole:
		n.log.Warn("this node loads all keys again, because it has to take back too many changes",
			"effects", effects)
		return n.rebuild()
	}
	n.counts.undone.Add(int64(effects))
	n.log.Info("this node takes back changes that no other node has", "effects", effects)
	return n.revert(undo)
}

// revert takes changes back. If the system gives no memory, the keyspace is loaded again.
func (n *Node) revert(undo []store.Undo) (err error) {
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case store.ErrExhausted:
			err = n.rebuild()
		default:
			panic(reason)
		}
	}()
	n.hooks.revert(undo)
	return nil
}

// checkEpoch follows the feature level of an epoch. It returns an error if this node cannot follow the
// leader.
func (n *Node) checkEpoch(e *entry.Entry) error {
	p, err := entry.ParseEpoch(e.Body)
	switch {
	case err != nil:
		return err
	case p.Cluster != n.o.Cluster:
		return fmt.Errorf("it belongs to cluster %x, and this node to cluster %x: empty the directory of the node that is wrong, and start it again", p.Cluster, n.o.Cluster)
	case p.Groups != 1:
		return fmt.Errorf("the cluster has %d groups, and this server knows clusters of one group: install the newer release", p.Groups)
	case int(p.Databases) != n.o.Store.Databases():
		return fmt.Errorf("the cluster has %d databases, and this node %d: set databases to the same number on all nodes", p.Databases, n.o.Store.Databases())
	}
	return n.follow(p.Features)
}
