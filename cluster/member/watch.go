package member

import (
	"time"
)

// watch follows the changes of the cluster until the cluster removes this node. It returns an error if the member stops.
// The ticker is for addresses of nodes.
func (m *Member) watch() error {
	ticker := time.NewTicker(askInterval)
	defer ticker.Stop()
	for old := m.outside; ; {
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case id := <-m.removed:
			if id == m.node.Load().Self().ID {
				return nil
			}
		case <-m.node.Load().Changed():
		case <-ticker.C:
		}
		now := m.View()
		if now == old || same(old, now) {
			continue
		}
		m.place.ledFor(leaderID(now), m.o.Clock.Monotonic())
		m.sender.To(peersOf(now))
		m.proxy.Lead(leaderOf(now))
		m.o.Changed(old, now)
		old = now
	}
}

// diskFailed ends the part of this node in the cluster.
func (m *Member) diskFailed(err error) {
	if n := m.node.Load(); n != nil {
		n.Fail(err)
	} else {
		m.refuse(err)
	}
}
