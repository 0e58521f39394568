package cluster

import (
	"context"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
)

// join asks the leader until this node votes: at the start, and after an invitation.
func (m *Member) join() {
	if v := m.group.Load().View(); !v.Nodes[v.Self].Voter {
		m.joinUntilVote()
	}
	for {
		m.removeOld()
		select {
		case <-m.ctx.Done():
			return
		case <-m.kick:
			m.joinUntilVote()
		}
	}
}

// removeOld removes the directories of the previous incarnations, once the node votes.
func (m *Member) removeOld() {
	if m.ctx.Err() != nil {
		return
	}
	if err := m.disk().removeOld(); err != nil {
		m.log.Warn("the former directory of this node cannot be removed: remove it by hand", "error", err)
	}
}

// joinUntilVote asks for the log, waits until it has everything up to that moment, and asks for a vote.
func (m *Member) joinUntilVote() {
	for last := ""; m.ctx.Err() == nil; m.pause(m.o.NodeTimeout / 4) {
		joined, err := m.askToJoin(false)
		if err == nil && !joined.Voter && m.awaitApplied(joined.Commit) {
			joined, err = m.askToJoin(true)
		}
		if joined.Voter {
			m.log.Info("this node votes now")
			return
		}
		if joined.Gone {
			select {
			case <-m.kick: // the next life of the node begins
			case <-m.ctx.Done():
			}
		}
		if err != nil && last != err.Error() {
			last = err.Error()
			m.log.Info("this node does not vote yet: it asks the leader again", "reason", err)
		}
	}
}

// joinPatience is how long a node waits for the next entries before it asks again.
const joinPatience = 10 * time.Second

// awaitApplied waits until this node has applied an entry. It reports false if no entries come.
func (m *Member) awaitApplied(index uint64) bool {
	g := m.group.Load()
	last, since := g.Applied(), m.o.Clock.Monotonic()
	for m.ctx.Err() == nil {
		applied, now := g.Applied(), m.o.Clock.Monotonic()
		switch {
		case applied >= index:
			return true
		case applied > last:
			last, since = applied, now
		case now-since > int64(joinPatience):
			return false
		}
		m.pause(m.o.NodeTimeout / 20)
	}
	return false
}

// askToJoin asks the nodes that may know the leader.
func (m *Member) askToJoin(vote bool) (joined peer.Joined, err error) {
	g := m.group.Load()
	j := peer.Join{Cluster: m.place.cluster(), Node: g.Self(), Feature: group.FeatureLevel, Vote: vote}
	var via []string
	if leader := leaderOf(g.View()); leader != "" {
		via = append(via, leader)
	}
	self := m.place.self()
	for _, a := range append(self.Invited, self.List...) {
		if a.Peer() != j.Node.Address().Peer() {
			via = append(via, a.Peer())
		}
	}
	for _, address := range via {
		ctx, stop := context.WithTimeout(m.ctx, askTimeout)
		joined, err = m.dialer.Join(ctx, address, j)
		stop()
		if joined.Gone {
			m.noteGone(g.Self().ID) // its log may be empty, so that it knows nobody else to hear it from
		}
		if err == nil {
			return joined, nil
		}
	}
	return joined, err
}

// pause waits for some time, or until the member stops.
func (m *Member) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-m.ctx.Done():
	}
}
