package bounded

import "net"

// Addr returns the address of the listener, and nil if it does not listen.
func (l *Listener) Addr() net.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ln == nil {
		return nil
	}
	return l.ln.Addr()
}

// connectionsOf returns the connections of a listener that listens.
func (l *Listener) connectionsOf() *connections {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.connections
}

// count returns how many connections have a state.
func (c *connections) count(state int32) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for place := c.open.Front(); place != nil; place = place.Next() {
		if place.Value.(*connection).state.Load() == state {
			n++
		}
	}
	return n
}
