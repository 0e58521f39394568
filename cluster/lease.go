package cluster

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

// drop ends the lease.
func (l *lease) drop() { *l = lease{} }

// renew notes that a majority has confirmed an entry.
func (l *lease) renew(sent int64) {
	if !l.valid || sent > l.from {
		l.from, l.valid = sent, true
	}
}

// leased reports whether the leader may answer from its memory at this moment. mu is held.
func (n *Node) leased() bool {
	if n.o.Reads == Quorum || n.offered == n.epoch.term {
		return false
	}
	l := &n.lease
	l.asked = true
	return l.valid && n.o.Clock.Monotonic() < l.from+int64(n.o.NodeTimeout)*8/10
}

// tick does what is due: a lease that readers need is renewed, and an idle leader moves the time of the log.
func (n *Node) tick() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.epoch.serving {
		return
	}
	defer n.propose()
	now := n.o.Clock.Monotonic()
	idle := time.Duration(now - n.lease.from)
	if n.lease.asked && idle >= n.o.NodeTimeout/4 || idle >= time.Second && n.volatile() {
		n.lease.wanted = true
	}
	n.lease.asked = false
}

// volatile reports whether a key has an expiry.
func (n *Node) volatile() bool {
	for db := range n.o.Store.Databases() {
		if n.o.Store.Volatile(db) > 0 {
			return true
		}
	}
	return false
}
