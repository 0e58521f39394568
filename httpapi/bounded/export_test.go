package bounded

import "time"

// connectionsOf returns the connections of a listener that listens.
func (l *Listener) connectionsOf() *connections {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.connections
}

func (c *connections) count(active bool) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.open.Front(); at != nil; at = at.Next() {
		if at.Value.(*connection).active == active {
			n++
		}
	}
	return n
}

func (c *connections) active() int { return c.count(true) }
func (c *connections) idle() int   { return c.count(false) }

// heard returns how many connections have sent a part of a request.
func (c *connections) heard() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.open.Front(); at != nil; at = at.Next() {
		if g := at.Value.(*connection); !g.active && g.heard.Load() > 0 {
			n++
		}
	}
	return n
}

// waiting returns how many connections wait for a request.
func (c *connections) waiting() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.open.Front(); at != nil; at = at.Next() {
		if g := at.Value.(*connection); !g.active && g.heard.Load() == waits {
			n++
		}
	}
	return n
}

// pass lets time pass.
func (c *connections) pass(d time.Duration) {
	c.tick.Add(int64(d / tickTime))
	c.look()
}
