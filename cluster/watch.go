package cluster

import (
	"time"

	"cellserver/internal/topology"
)

// watch follows the changes of the cluster until this life of the node ends. It returns how the next one
// begins: the cluster has removed the node, or the disk has failed. It returns an error if the member stops.
// The ticker is for addresses of nodes.
func (m *Member) watch() (next func() error, err error) {
	ticker := time.NewTicker(askInterval)
	defer ticker.Stop()
	for old := m.outside.View(); ; {
		select {
		case <-m.ctx.Done():
			return nil, m.ctx.Err()
		case id := <-m.removed:
			if id == m.group.Load().Self().ID {
				return m.leave, nil
			}
		case d := <-m.broken:
			if d == m.disk() {
				return m.heal, nil
			}
		case <-m.group.Load().Changed():
		case <-ticker.C:
		}
		now := m.View()
		if now == old || same(old, now) {
			continue
		}
		leader := leaderOf(now)
		if now.State == topology.Down {
			leader = ""
		}
		m.place.ledFor(leaderID(now), m.o.Clock.Monotonic())
		m.sender.To(peersOf(now))
		m.proxy.Lead(leader)
		if last := m.vitals.replace(old, now, m.o.Clock.Monotonic()); last != nil {
			m.working.Go(func() { m.askVital(*last) })
		}
		m.o.Changed(old, now)
		old = now
	}
}
