package bounded

import "time"

// crowdOf returns the connections of a listener that listens.
func (l *Listener) crowdOf() *crowd {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.crowd
}

func (c *crowd) count(active bool) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.open.Front(); at != nil; at = at.Next() {
		if at.Value.(*guest).active == active {
			n++
		}
	}
	return n
}

func (c *crowd) active() int { return c.count(true) }
func (c *crowd) idle() int   { return c.count(false) }

// heard returns how many connections have sent a part of a request.
func (c *crowd) heard() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.open.Front(); at != nil; at = at.Next() {
		if g := at.Value.(*guest); !g.active && g.heard.Load() > 0 {
			n++
		}
	}
	return n
}

// waiting returns how many connections wait for a request.
func (c *crowd) waiting() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.open.Front(); at != nil; at = at.Next() {
		if g := at.Value.(*guest); !g.active && g.heard.Load() == waits {
			n++
		}
	}
	return n
}

// pass lets time pass.
func (c *crowd) pass(d time.Duration) {
	c.tick.Add(int64(d / tickTime))
	c.look()
}
