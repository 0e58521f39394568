package cluster

import "errors"

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
	m.place.begin(phase, &next.identity)
	m.quiet.Reset(m.o.NodeTimeout)
	m.log.Info("the disk of this node works again, so the node takes part in the cluster again")
	return nil
}
