package peer

// Stats are what a Port counted.
type portStats struct {
	Pending, Raft, Forwards, Calls int    // connections that are open
	Refused                        uint64 // connections that failed or were refused
	Evicted                        uint64 // connections that made place before they had authenticated
}

// Stats returns what the port counted.
func (p *Port) Stats() portStats {
	c := p.conns
	c.mu.Lock()
	defer c.mu.Unlock()
	return portStats{c.pending.Len(), c.places[kindRaft], c.places[kindForward], c.places[kindCall],
		p.refused.Load(), c.evicted}
}

// linkStats are what was sent to one node.
type linkStats struct {
	To            string
	Queued        int
	Sent, Dropped uint64
}

// Links returns what was sent to each node, sorted by address.
func (p *Publisher) Links() (all []linkStats) {
	for _, l := range *p.links.Load() {
		all = append(all, l.stats())
	}
	return all
}

func (l *link) stats() linkStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return linkStats{l.to, len(l.queue), l.sent.Load(), l.dropped.Load()}
}
