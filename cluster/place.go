package cluster

import (
	"context"
	"errors"
	"time"

	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

const (
	askPause   = 200 * time.Millisecond // between two rounds of questions to the other nodes
	askTimeout = 2 * time.Second        // of such a round, or of one question
)

// live runs one life of the node after the other. In each life the node gets its place, and then follows the
// cluster. A life ends when the cluster removes the node, or when its disk fails. The next one begins with an
// invitation, or when the disk works again.
func (m *Member) live() {
	for first := true; !m.place.isForgotten() || m.awaitInvitation(); first = false {
		d, err := m.findPlace()
		if err == nil {
			err = m.startGroup(d)
		}
		if err == nil {
			m.follow(first)
			err = m.watch()
		}
		if err != nil {
			if m.ctx.Err() == nil {
				m.refuse(err)
			}
			return
		}
	}
}

// follow says that the node takes part. The first life starts the goroutines that follow the cluster. They go
// on in the next lives, so a later life only makes join ask the leader.
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
	default: // join has been told already
	}
}

// findPlace asks the other nodes until roster.Decide knows what to do.
func (m *Member) findPlace() (roster.Decision, error) {
	var report roster.Report
	for {
		d := m.decide()
		m.place.noteDecision(d)
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
		case <-time.After(askPause):
		}
	}
}

// decide asks the other nodes once, and decides by their answers.
func (m *Member) decide() roster.Decision {
	self := m.place.self()
	ctx, stop := context.WithTimeout(m.ctx, askTimeout)
	defer stop()
	return roster.Decide(self, m.dialer.Ask(ctx, m.hello(), self.Ask()))
}

// findSelfInList returns the listed address that reaches this node, "" if there is none.
func (m *Member) findSelfInList() string {
	ctx, stop := context.WithTimeout(m.ctx, askTimeout)
	defer stop()
	found := make(chan string, len(m.o.List))
	for _, a := range m.o.List {
		go func() { found <- m.ifReachesSelf(ctx, a) }()
	}
	for range m.o.List {
		if address := <-found; address != "" {
			return address
		}
	}
	return ""
}

// ifReachesSelf returns an address if this process answers there, "" otherwise.
func (m *Member) ifReachesSelf(ctx context.Context, a topology.Address) string {
	h, err := m.dialer.Hello(ctx, a.Peer(), peer.Hello{Standing: m.place.self().Standing})
	if err != nil || h.Run != m.o.Run {
		return ""
	}
	return a.String()
}
