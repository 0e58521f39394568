package group

import "time"

// lease says until when no other node can lead. A follower that has confirmed an entry votes for no
// candidate for a NodeTimeout. So if a majority has confirmed an entry, no other leader can have committed
// anything up to a NodeTimeout after the entry was sent.
//
// Raft's VerifyLeader is not a proof: it counts replies to messages that were sent before it was called.
type lease struct {
	from   int64 // monotonic time at which the last confirmed entry was sent
	valid  bool
	asked  bool // a reply needed the lease since the last tick
	wanted bool // an entry is to be proposed, even an empty one
}

// renew notes that a majority has confirmed an entry.
func (l *lease) renew(sent int64) {
	if !l.valid || sent > l.from {
		l.from, l.valid = sent, true
	}
}

// leased reports whether the leader may answer from its memory at this moment. mu is held.
func (g *Group) leased() bool {
	if g.o.Reads == Quorum || g.offered == g.epoch.term {
		return false
	}
	l := &g.lease
	l.asked = true
	return l.valid && g.o.Clock.Monotonic() < l.from+int64(g.patience)*8/10
}

// tick does what is due: a lease that readers need is renewed, and an idle leader moves the time of the log.
func (g *Group) tick() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.epoch.serving {
		return
	}
	defer g.propose()
	now := g.o.Clock.Monotonic()
	idle := time.Duration(now - g.lease.from)
	if g.lease.asked && idle >= g.o.NodeTimeout/4 || idle >= time.Second && g.volatile() {
		g.lease.wanted = true
	}
	g.lease.asked = false
}

// volatile reports whether a key has an expiry.
func (g *Group) volatile() bool {
	for db := range g.o.Store.Databases() {
		if g.o.Store.Volatile(db) > 0 {
			return true
		}
	}
	return false
}
