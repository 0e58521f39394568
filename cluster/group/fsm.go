package group

import (
	"fmt"
	"io"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// machine is what raft calls on the goroutine that applies entries. It implements [raft.FSM].
type machine struct{ n *Group }

// Apply does what a committed entry says.
func (m machine) Apply(l *raft.Log) any {
	defer m.n.scripts.call()()
	return m.n.applyLog(l)
}

// Snapshot returns the keyspace of this moment.
func (m machine) Snapshot() (raft.FSMSnapshot, error) {
	defer m.n.scripts.call()()
	return m.n.snapshot()
}

// Restore replaces the keyspace.
func (m machine) Restore(in io.ReadCloser) error {
	defer m.n.scripts.call()()
	return m.n.restore(in)
}

// StoreConfiguration notes who takes part. It implements [raft.ConfigurationStore].
func (m machine) StoreConfiguration(index uint64, c raft.Configuration) {
	m.n.mu.Lock()
	m.n.roster.Configure(c)
	m.n.mu.Unlock()
	m.n.applied.Store(index)
	m.n.updateView()
}

// applyLog does what a committed entry says, if it counts.
func (g *Group) applyLog(l *raft.Log) error {
	if g.broken.Load() {
		return errBroken
	}
	e, err := entry.Parse(l.Data)
	switch {
	case err != nil:
	case g.hooks.follows(&g.fsm, &e, l.Term):
		g.fsm.take(&e)
		err = g.applyEntry(&e)
		g.clock.log.Store(g.fsm.time)
	default:
		g.counts.dropped.Add(1)
	}
	if err != nil {
		g.Fail(fmt.Errorf("entry %d of the log cannot be applied: %w", l.Index, err))
		return err
	}
	g.applied.Store(l.Index)
	return nil
}

// applyEntry does what an entry that counts says. A caller that waits for an entry about a node continues
// after the change.
func (g *Group) applyEntry(e *entry.Entry) (err error) {
	switch e.Kind {
	case entry.EpochBegins:
		return g.applyEpoch(e)
	case entry.NodeKnown:
		err = g.changeRoster(func() error { return g.roster.Note(e.Body) })
	case entry.NodeGone:
		err = g.changeRoster(func() error { return g.roster.Remove(e.Body) })
	case entry.LevelRaised:
		err = g.applyLevel(e)
	}
	if err != nil {
		return err
	}
	if mine := g.confirm(e.Term, e.Batch); mine || e.Kind != entry.Effects {
		return nil // what this node has proposed is in its store
	}
	return g.applyEffects(e.Body, g.Horizon())
}

// applyEffects applies the body of an entry.
func (g *Group) applyEffects(body []byte, now int64) error {
	err := g.apply.Apply(body, now)
	if g.apply.Own() {
		g.followOwn()
	}
	return err
}

// followOwn says that the server's own database may have changed. If expired keys stay from now on, they stay
// for the effects of the next entries, too.
func (g *Group) followOwn() {
	if g.o.Own != nil {
		g.o.Own()
	}
	g.apply.KeepExpired(g.o.Store.KeepsExpired())
}

// applyLevel raises the feature level.
func (g *Group) applyLevel(e *entry.Entry) error {
	level, err := entry.ParseLevel(e.Body)
	if err != nil {
		return err
	}
	return g.follow(level)
}

// follow raises the level of this node to the feature level of an entry or of a snapshot. It returns an
// error if this node does not know that level.
func (g *Group) follow(level uint16) error {
	if err := checkLevel(level, g.knownLevel()); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if level > g.level {
		g.log.Info("the feature level of the cluster has risen", "from", g.level, "to", level)
		g.level = level
	}
	return nil
}

// knownLevel returns the highest feature level that this node knows. Tests raise it.
func (g *Group) knownLevel() uint16 { return uint16(g.o.Self.Features) }

// applyEpoch takes back the uncommitted effects of an older epoch of this node, because they can no longer be
// committed. If this node has proposed the entry, it serves from now on.
func (g *Group) applyEpoch(e *entry.Entry) error {
	if err := g.checkEpoch(e); err != nil {
		return err
	}
	g.endOlder()
	if err := g.takeBack(); err != nil {
		return err
	}
	g.followOwn()
	if g.beginOrFollow(e) {
		g.log.Info("this node leads the cluster now", "term", e.Term)
		g.o.tellEpoch(true)
		g.wakeUp()
	}
	return nil
}

// beginOrFollow begins the epoch of an entry if this node has proposed the entry. It reports whether the
// epoch has begun. Only changes that a node made as a leader are ever taken back, so a follower collects no
// undos.
func (g *Group) beginOrFollow(e *entry.Entry) (begun bool) {
	defer g.updateView()
	g.mu.Lock()
	mine := g.isOwn(e)
	g.mu.Unlock()
	g.o.Store.KeepUndo(mine)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue.drop()
	if mine = mine && g.isOwn(e); mine {
		g.startServing()
	}
	return mine
}

// isOwn reports whether an entry begins the epoch that this node has proposed. mu is held.
func (g *Group) isOwn(e *entry.Entry) bool {
	return g.epoch.term == e.Term && g.epoch.number == e.Batch && g.epoch.failed == nil
}

// endOlder ends the epoch of this node, because another node leads already.
func (g *Group) endOlder() {
	g.mu.Lock()
	serving := g.epoch.serving
	g.mu.Unlock()
	if serving {
		g.endEpoch("another node leads")
	}
}

// takeBack removes the effects of all batches in the queue from the store. No command runs meanwhile, and
// the view says that no client may read.
func (g *Group) takeBack() error {
	g.mu.Lock()
	undo, effects, whole := g.queue.undo()
	g.mu.Unlock()
	switch {
	case effects == 0:
		return nil
	case !whole:
		g.log.Warn("this node loads all keys again, because it has to take back too many changes",
			"effects", effects)
		return g.rebuild()
	}
	g.counts.undone.Add(int64(effects))
	g.log.Info("this node takes back changes that no other node has", "effects", effects)
	return g.revert(undo)
}

// revert takes changes back. If the system gives no memory, the keyspace is loaded again.
func (g *Group) revert(undo []store.Undo) (err error) {
	defer func() {
		if err == store.ErrExhausted {
			err = g.rebuild()
		}
	}()
	defer store.RecoverExhausted(&err)
	g.hooks.revert(undo)
	return nil
}

// checkEpoch follows the feature level of an epoch. It returns an error if this node cannot follow the
// leader.
func (g *Group) checkEpoch(e *entry.Entry) error {
	p, err := entry.ParseEpoch(e.Body)
	switch {
	case err != nil:
		return err
	case p.Cluster != g.o.Cluster:
		return fmt.Errorf("it belongs to cluster %x, and this node to cluster %x: empty the directory of "+
			"the node that is wrong, and start it again", p.Cluster, g.o.Cluster)
	case p.Groups != 1:
		return fmt.Errorf("the cluster has %d groups, and this server knows clusters of one group: install the newer release", p.Groups)
	case int(p.Databases) != g.o.Store.Databases():
		return fmt.Errorf("the cluster has %d databases, and this node %d: set databases to the same "+
			"number on all nodes", p.Databases, g.o.Store.Databases())
	}
	return g.follow(p.Features)
}
