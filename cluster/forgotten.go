package cluster

import (
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

// taking returns the group while this node takes part in it; nil before, and after the cluster has removed the
// node.
func (m *Member) taking() *group.Group {
	if g := m.group.Load(); g != m.outside && !m.place.isForgotten() {
		return g
	}
	return nil
}

// leave ends a life of the node. Its directory gets another name. The next directory has another id, because
// no id is used twice.
func (m *Member) leave() error {
	m.place.forget(errForgotten.Error())
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
	m.place.begin(roster.Returning, &next)
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
