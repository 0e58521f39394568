package member

import (
	"context"
	"errors"
	"sync"
	"time"

	"cellserver/cluster/formation"
	"cellserver/cluster/identity"
	"cellserver/cluster/peer"
)

// place is what a node knows about its place.
type place struct {
	list []formation.Address
	wake chan struct{} // has an element after an invitation

	mu       sync.Mutex // guards the fields below
	standing formation.Standing
	invited  []formation.Address
	waiting  string // why the node has no place yet; a sentence
	founder  bool   // the node wrote the voters, and the term says whether anybody has voted since
	leader   string // the last known one
	since    int64  // monotonic time since which it is
	warned   int64  // monotonic time of the last warning about clocks
}

func (p *place) init(o *Options) {
	p.list, p.wake = o.List, make(chan struct{}, 1)
	p.standing = formation.Standing{Run: o.Run, Phase: formation.Empty, Nodes: formation.Strings(o.List)}
}

// begin notes what the directory says.
func (p *place) begin(phase formation.Phase, n *identity.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standing.Phase, p.standing.ID, p.standing.Cluster = phase, n.ID, n.Cluster
	p.founder = phase == formation.Founding
	if phase == formation.Empty || phase == formation.Returning && n.Incarnation == 1 {
		p.standing.ID = "" // an id without its log is never used again
	}
}

// take notes that the node has its place.
func (p *place) take(phase formation.Phase, n *identity.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standing.Phase, p.standing.ID, p.standing.Cluster = phase, n.ID, n.Cluster
	p.founder, p.waiting = phase == formation.Founding, ""
}

// cluster returns the id of the cluster, or "".
func (p *place) cluster() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standing.Cluster
}

// self returns what formation needs.
func (p *place) self() formation.Self {
	p.mu.Lock()
	defer p.mu.Unlock()
	return formation.Self{Standing: p.standing, List: p.list, Invited: p.invited}
}

// decided notes what a decision says about this node.
func (p *place) decided(d formation.Decision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standing.Found, p.waiting = d.Found, d.Why
}

// invite notes the addresses of a cluster. It reports false if the node has its place.
func (p *place) invite(addrs []formation.Address) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.standing.Phase != formation.Empty && p.standing.Phase != formation.Returning {
		return false
	}
	p.invited = addrs
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return true
}

// ledFor returns for how many nanoseconds there has been this leader, "" for none.
func (p *place) ledFor(leader string, now int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if leader != p.leader {
		p.leader, p.since = leader, now
	}
	return now - p.since
}

// mayWarn reports whether a warning about clocks is due: one in ten minutes.
func (p *place) mayWarn(now int64) bool {
	const rest = int64(10 * time.Minute)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warned != 0 && now-p.warned < rest {
		return false
	}
	p.warned = now
	return true
}

// Pauses between two rounds of questions, and the longest round.
const (
	askAgain  = 200 * time.Millisecond
	askWithin = 2 * time.Second
)

// live is the life of the node: it gets its place, and then follows the cluster.
func (m *Member) live() {
	d, err := m.findPlace()
	if err == nil {
		err = m.begin(d)
	}
	if err != nil {
		if m.ctx.Err() == nil {
			m.refuse(err)
		}
		return
	}
	m.working.Go(m.join)
	m.working.Go(m.ask)
	m.working.Go(m.growth)
	m.watch()
}

// findPlace asks the other nodes until formation decides.
func (m *Member) findPlace() (formation.Decision, error) {
	var report formation.Report
	for {
		d := m.decide()
		m.place.decided(d)
		if report.Line(d, m.o.Clock.Monotonic()/1e6) {
			m.log.Info("formation of the cluster: " + d.Why)
		}
		switch d.Action {
		case formation.Wait:
		case formation.Refuse:
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

func (m *Member) decide() formation.Decision {
	self := m.place.self()
	ctx, stop := context.WithTimeout(m.ctx, askWithin)
	defer stop()
	return formation.Decide(self, m.dialer.Ask(ctx, m.hello(), self.Ask()))
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

func (m *Member) reaches(ctx context.Context, a formation.Address) string {
	h, err := m.dialer.Hello(ctx, a.Peer(), peer.Hello{Standing: m.place.self().Standing})
	if err != nil || h.Run != m.o.Run {
		return ""
	}
	return a.String()
}
