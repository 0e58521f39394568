package cluster

import (
	"errors"
	"sync"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

var errForgotten = errors.New("the cluster has removed this node by CLUSTER FORGET: to take it back, run CLUSTER MEET with its address on a node of the cluster")

// place is what a node knows about its place.
type place struct {
	list []topology.Address
	wake chan struct{} // has an element after an invitation

	mu       sync.Mutex // guards the fields below
	standing roster.Standing
	invited  []topology.Address
	waiting  string // why the node has no place yet; a sentence
	gone     bool   // the cluster has removed the node: it waits for an invitation
	leader   string // the last known one
	since    int64  // monotonic time from which on it leads
}

func (p *place) init(run string, list []topology.Address) {
	p.list, p.wake = list, make(chan struct{}, 1)
	p.standing = roster.Standing{Run: run, Phase: roster.Empty, Nodes: roster.Strings(list)}
}

// noteDirectory notes what the directory says.
func (p *place) noteDirectory(phase roster.Phase, n *roster.Identity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standing.Phase, p.standing.ID, p.standing.Cluster = phase, n.ID, n.Cluster
	p.gone = n.Forgotten
	if p.gone {
		p.waiting = errForgotten.Error()
	}
	if phase == roster.Empty || phase == roster.Returning && n.Incarnation == 1 {
		p.standing.ID = "" // an id without its log is never used again
	}
}

// noteForgotten notes that the cluster has removed the node.
func (p *place) noteForgotten() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone, p.waiting = true, errForgotten.Error()
	p.standing.Phase = roster.Returning
	select {
	case <-p.wake: // an invitation to the life before
	default:
	}
}

// noteTakesPart notes that the node takes part again.
func (p *place) noteTakesPart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = false
}

// waitFor notes why the node has no place yet.
func (p *place) waitFor(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = why
}

// isForgotten reports whether the node waits for an invitation.
func (p *place) isForgotten() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// noteTaken notes that the node has its place.
func (p *place) noteTaken(phase roster.Phase, n *roster.Identity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standing.Phase, p.standing.ID, p.standing.Cluster = phase, n.ID, n.Cluster
	p.waiting = ""
}

// cluster returns the id of the cluster, or "".
func (p *place) cluster() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standing.Cluster
}

// self returns what roster.Decide needs.
func (p *place) self() roster.Self {
	p.mu.Lock()
	defer p.mu.Unlock()
	return roster.Self{Standing: p.standing, List: p.list, Invited: p.invited}
}

// noteDecision notes what a decision says about this node.
func (p *place) noteDecision(d roster.Decision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standing.Found, p.waiting = d.Found, d.Why
}

// invite notes the addresses of a cluster. It reports false if the node has its place.
func (p *place) invite(addrs []topology.Address) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.standing.Phase != roster.Empty && p.standing.Phase != roster.Returning {
		return false
	}
	p.invited = addrs
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return true
}

// ledFor returns for how many nanoseconds this node has known the leader, or no leader ("").
func (p *place) ledFor(leader string, now int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if leader != p.leader {
		p.leader, p.since = leader, now
	}
	return now - p.since
}
