package cluster

import (
	"errors"

	"cellserver/cluster/group"
	"cellserver/cluster/roster"
)

// noteGone notes that another node of the cluster says that this node was removed.
func (m *Member) noteGone(id string) {
	select {
	case m.removed <- id:
	default: // another node has said it before
	}
}

// taking returns the group while this node takes part in it; nil before, and after the cluster has removed
// the node.
func (m *Member) taking() *group.Group {
	if g := m.group.Load(); g != m.outside && !m.place.isForgotten() {
		return g
	}
	return nil
}

// leave ends a life of the node. Its directory gets another name. The next directory has another id, because
// no id is used twice.
func (m *Member) leave() error {
	m.place.noteForgotten()
	if err := m.transport.Close(); err != nil {
		return err
	}
	if err := m.group.Load().Leave(errForgotten); err != nil {
		return err
	}
	old := m.disk()
	if err := old.close(); err != nil {
		return err
	}
	next, err := roster.ForgetIdentity(old.o.FS, old.o.Dir, old.identity)
	if err != nil {
		return err
	}
	d := m.makeDisk()
	d.identity = next
	m.files.Store(d)
	m.snapshots.from.Store(0) // the next log is empty
	m.snapshots.failed.Store(false)
	m.place.noteDirectory(roster.Returning, &next)
	m.quiet.Reset(m.o.NodeTimeout)
	return nil
}

// awaitInvitation waits for CLUSTER MEET. It reports false if the member stops.
func (m *Member) awaitInvitation() bool {
	m.log.Warn("this node serves nobody", "reason", errForgotten)
	m.o.Failed(errForgotten) // also after a restart
	select {
	case <-m.ctx.Done():
		return false
	case <-m.place.wake:
		return true
	}
}

// nodeFailed follows the end of the part that a node takes. A failed disk may heal, and the cluster may take
// a node back. After any other failure only another process can help.
func (m *Member) nodeFailed(why error) {
	m.o.Failed(why)
	if m.disk().err() == nil && !errors.Is(why, errForgotten) {
		m.refuse(why)
	}
}

// diskFailed ends the part of this node in the cluster until its disk works again.
func (m *Member) diskFailed(d *disk, err error) {
	g := m.group.Load()
	switch {
	case m.disk() != d: // of an earlier life
	case g == m.outside:
		m.refuse(err)
	default:
		g.Fail(err)
		select {
		case m.broken <- d:
		default: // an earlier disk, which watch ignores
		}
	}
}

// heal ends the life of a node whose disk has failed. The next life goes on with what is on the disk, as a
// new process does.
func (m *Member) heal() error {
	if err := m.transport.Close(); err != nil {
		return err
	}
	if err := m.group.Load().Close(); err != nil {
		return err
	}
	old := m.disk()
	_ = old.logs.Close() // the error is that of the failure
	m.log.Warn("this node takes no part in the cluster until its disk works again", "reason", old.err())
	next, err := old.reopen(m.ctx, m.o.Clock.Monotonic)
	if err != nil {
		return err
	}
	phase, err := next.phase()
	if err != nil {
		return err
	}
	m.files.Store(next)
	m.place.noteDirectory(phase, &next.identity)
	m.quiet.Reset(m.o.NodeTimeout)
	m.log.Info("the disk of this node works again, so the node takes part in the cluster again")
	return nil
}
