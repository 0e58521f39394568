package cluster

import (
	"fmt"
	"io"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// FeatureLevel is the newest form of entries that this server understands. A server refuses the epoch of a leader with a
// higher level, because it could not apply that leader's entries. Level 2 has hashes, sets, and records of integers in the
// bodies of effects. Level 3 has lists. Level 4 has records of integers whose expiry follows from the integer.
const FeatureLevel = 4

// fsmState is the result of the applied entries besides the keys. Snapshots have it, so all nodes drop the same
// entries.
type fsmState struct {
	term  uint64 // of the last entry that counted
	batch uint64 // its number
	time  int64  // the time of the log, in Unix nanoseconds
}

// follows reports whether an entry counts. Effects that were collected in one epoch and proposed in a later epoch must
// not count, because they were computed from an older state.
func (s *fsmState) follows(e *entry.Entry, term uint64) bool {
	switch {
	case e.Term != term:
		return false
	case e.Kind == entry.EpochBegins:
		return true
	}
	return e.Term == s.term && e.Batch == s.batch+1
}

// take notes an entry that counts.
func (s *fsmState) take(e *entry.Entry) {
	s.term, s.batch, s.time = e.Term, e.Batch, max(s.time, e.Time)
}

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
		n.fail(fmt.Errorf("entry %d of the log cannot be applied: %w", l.Index, err))
		return err
	}
	n.applied.Store(l.Index)
	return nil
}

// applyEntry does what an entry that counts says. A caller that waits for an entry about a node continues after the
// change.
func (n *Node) applyEntry(e *entry.Entry) (err error) {
	switch e.Kind {
	case entry.EpochBegins:
		return n.applyEpoch(e)
	case entry.NodeKnown:
		err = n.changeRoster(func() error { return n.roster.Note(e.Body) })
	case entry.NodeGone:
		err = n.changeRoster(func() error { return n.roster.Remove(e.Body) })
	}
	if err != nil {
		return err
	}
	if mine := n.confirm(e.Term, e.Batch); mine || e.Kind != entry.Effects {
		return nil // what this node has proposed is in its store
	}
	return n.apply.Apply(e.Body, n.Horizon())
}

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

// beginOrFollow begins the epoch of an entry if this node has proposed the entry. It reports whether the epoch has begun.
// Only changes that a node made as a leader are ever taken back, so a follower collects no undos.
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

// takeBack removes the effects of all batches in the queue from the store. No command runs meanwhile, and the view says
// that no client may read.
func (n *Node) takeBack() error {
	n.mu.Lock()
	undo, effects, whole := n.queue.Undo()
	n.mu.Unlock()
	switch {
	case effects == 0:
		return nil
	case !whole:
		n.log.Warn("this node loads all keys again, because it has to take back too many changes", "effects", effects)
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

// checkEpoch returns an error if this node cannot follow the leader of an epoch.
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
	case p.Features > FeatureLevel:
		return fmt.Errorf("its form is of level %d, and this server knows level %d: install the newer release", p.Features, FeatureLevel)
	}
	return nil
}
