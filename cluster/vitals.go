package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/group"
	"cellserver/internal/topology"
)

// ask asks all other nodes again and again, until the member stops. It asks more often while it knows no
// leader that answers.
func (m *Member) ask() {
	warned := int64(0)
	for m.ctx.Err() == nil {
		begun, interval := m.o.Clock.Monotonic(), group.AskInterval
		v := m.group.Load().View()
		var asking sync.WaitGroup
		var led atomic.Bool // a node has answered that it leads
		for i := range v.Nodes {
			if i != v.Self {
				asking.Go(func() {
					if m.askVital(v.Nodes[i]) {
						led.Store(true)
					}
				})
			}
		}
		asking.Wait()
		m.vitals.forget(v)
		m.group.Load().CheckClocks(m.vitals.skews())
		m.warnOfClocks(v, &warned)
		m.announce(v)
		m.group.Load().FinishRemovals()
		m.group.Load().FollowReleases()
		if !led.Load() && m.Epoch() == 0 {
			interval = m.o.NodeTimeout / 2
		}
		m.pause(max(interval-time.Duration(m.o.Clock.Monotonic()-begun), 0))
	}
}

// askVital asks one node who it is. It reports whether that node leads.
func (m *Member) askVital(k topology.Node) (leads bool) {
	ctx, stop := context.WithTimeout(m.ctx, max(m.o.NodeTimeout, group.AskInterval))
	defer stop()
	begun, before := m.o.Clock.Monotonic(), m.o.Wall()
	h, err := m.dialer.Hello(ctx, k.Address().Peer(), m.hello())
	now := m.o.Clock.Monotonic()
	if err != nil || h.ID != k.ID {
		m.vitals.note(k.ID, now, nil, 0)
		return false
	}
	if own := m.group.Load().Self().ID; h.Gone && h.Cluster == m.place.cluster() {
		m.noteGone(own)
	}
	m.vitals.note(k.ID, now, &h, skew(h.Time-before, now-begun))
	if leads = h.Leader.ID == h.ID; leads {
		m.group.Load().LeaderStood(h.Applied, begun)
	}
	return leads
}

// announce tells all nodes the addresses that the nodes announce now, if this node leads.
func (m *Member) announce(v *topology.View) {
	g := m.group.Load()
	for i := range v.Nodes {
		one := m.vitals.get(v.Nodes[i].ID)
		now, ok := one.announced()
		if !ok || g.Epoch() == 0 || g.Knows(now) {
			continue
		}
		if err := g.Announce(now); err != nil {
			m.log.Warn("the address of a node could not be announced: it is tried again",
				"node", one.Client, "reason", err)
		}
	}
}

// warnOfClocks logs that the clock of a node differs too much from that of this one, once in ten minutes. The
// argument warned is the monotonic time of the last warning.
func (m *Member) warnOfClocks(v *topology.View, warned *int64) {
	now := m.o.Clock.Monotonic()
	if m.o.MaxSkew == 0 || *warned != 0 && now-*warned < int64(10*time.Minute) {
		return
	}
	for i := range v.Nodes {
		one := m.vitals.get(v.Nodes[i].ID)
		if skew := time.Duration(one.skew); one.Run != "" && max(skew, -skew) > m.o.MaxSkew {
			*warned = now
			m.log.Warn("the clocks of two nodes differ too much: set the clocks by NTP",
				"node", one.Client, "milliseconds", skew.Milliseconds())
			return
		}
	}
}
