package cluster

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/group"
	"cellserver/internal/topology"
)

// ask asks all other nodes again and again, until the member stops. It asks more often while it knows no
// leader that answers.
func (m *Member) ask() {
	var clocks, timeouts warning
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
		m.group.Load().LimitLease(m.vitals.shortest())
		if m.o.MaxSkew > 0 {
			m.warnOf(&clocks, v, "the clocks of two nodes differ too much: set the clocks by NTP", m.o.MaxSkew,
				func(one *vital) time.Duration { return time.Duration(one.skew) })
		}
		m.warnOf(&timeouts, v, "cluster-node-timeout differs on two nodes: set the same value on every node", 0,
			m.longerBy)
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
	if err == nil && h.ID != k.ID {
		err = errNotIts
	}
	if err != nil {
		m.vitals.miss(k.ID, now, err)
		return false
	}
	if own := m.group.Load().Self().ID; h.Gone && h.Cluster == m.place.cluster() {
		m.noteGone(own)
	}
	m.vitals.note(k.ID, now, h, skew(h.Time-before, now-begun), m.group.Load().Applied())
	if leads = h.Leader.ID == h.ID; leads {
		m.group.Load().LeaderStood(h.Applied, begun)
	}
	return leads
}

var errNotIts = errors.New("another node answers at its address")

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

// warning is the monotonic time of the last log line of a kind; 0 for none.
type warning int64

// warnOf logs that a node differs from this one by more than a limit, once in ten minutes.
func (m *Member) warnOf(last *warning, v *topology.View, text string, most time.Duration,
	by func(*vital) time.Duration) {
	now := m.o.Clock.Monotonic()
	if *last != 0 && now-int64(*last) < int64(10*time.Minute) {
		return
	}
	for i := range v.Nodes {
		one := m.vitals.get(v.Nodes[i].ID)
		if d := by(&one); one.Run != "" && max(d, -d) > most {
			*last = warning(now)
			m.log.Warn(text, "node", one.Client, "milliseconds", d.Milliseconds())
			return
		}
	}
}

// longerBy returns by how much the cluster-node-timeout of a node is longer than that of this one.
func (m *Member) longerBy(one *vital) time.Duration {
	if one.Timeout == 0 {
		return 0
	}
	return time.Duration(one.Timeout)*time.Millisecond - m.o.NodeTimeout
}
