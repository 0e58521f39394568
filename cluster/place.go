package cluster

import (
	"context"
	"errors"
	"time"

	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// Pauses between two rounds of questions, and the longest round.
const (
	askAgain  = 200 * time.Millisecond
	askWithin = 2 * time.Second
)

// live is the life of the node: it gets its place, and then follows the cluster. After the cluster has
// removed it, its next life begins with an invitation. After its disk has failed, it begins when the disk
// works again.
func (m *Member) live() {
	for first := true; !m.place.isForgotten() || m.awaitInvitation(); first = false {
		d, err := m.findPlace()
		if err == nil {
			err = m.begin(d)
		}
		var next func() error
		if err == nil {
			m.follow(first)
			next, err = m.watch()
		}
		if err == nil {
			err = next()
		}
		if err != nil {
			if m.ctx.Err() == nil {
				m.refuse(err)
			}
			return
		}
	}
}

// follow starts the goroutines that follow the cluster. They go on in the next life.
func (m *Member) follow(first bool) {
	m.o.Failed(nil)
	if first {
		m.working.Go(m.join)
		m.working.Go(m.ask)
		m.working.Go(m.growth)
		return
	}
	m.o.Replaced()
	select {
	case m.kick <- struct{}{}:
	default: // join asks the leader anyway
	}
}

// findPlace asks the other nodes until roster.Decide knows what to do.
func (m *Member) findPlace() (roster.Decision, error) {
	var report roster.Report
	for {
		d := m.decide()
		m.place.decided(d)
		if report.Line(d, m.o.Clock.Monotonic()/1e6) {
			m.log.Info("formation of the cluster: " + d.Why)
		}
		switch d.Action {
		case roster.Wait:
		case roster.Refuse:
			return d, errors.New(d.Why)
		default:
			return d, nil
		}
		select {
		case <-m.ctx.Done():
			return d, m.ctx.Err()
		case <-m.place.wake:
		case <-time.After(askAgain):
		}
	}
}

func (m *Member) decide() roster.Decision {
	self := m.place.self()
	ctx, stop := context.WithTimeout(m.ctx, askWithin)
	defer stop()
	return roster.Decide(self, m.dialer.Ask(ctx, m.hello(), self.Ask()))
}

// findSelf returns the listed address that reaches this node, "" if there is none.
func (m *Member) findSelf() string {
	ctx, stop := context.WithTimeout(m.ctx, askWithin)
	defer stop()
	found := make(chan string, len(m.o.List))
	for _, a := range m.o.List {
		go func() { found <- m.reaches(ctx, a) }()
	}
	for range m.o.List {
		if at := <-found; at != "" {
			return at
		}
	}
	return ""
}

func (m *Member) reaches(ctx context.Context, a topology.Address) string {
	h, err := m.dialer.Hello(ctx, a.Peer(), peer.Hello{Standing: m.place.self().Standing})
	if err != nil || h.Run != m.o.Run {
		return ""
	}
	return a.String()
}
