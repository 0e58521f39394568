package resp

// Push sends p, a complete message, between replies: at once if the client is idle, and after the
// replies of the batch that runs otherwise. It copies p and never waits for the client. A client
// that lets more than the server's WriteLimit pile up, or without one its PushLimit, is closed.
func (c *Conn) Push(p []byte) {
	limit, pushLimit := c.writeLimit(), c.server.pushLimit()
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	waits := int64(len(c.queue) + len(p))
	if limit > 0 && waits+int64(c.writing) > limit || limit == 0 && waits > pushLimit {
		c.mu.Unlock()
		c.Close()
		return
	}
	c.queue = append(c.queue, p...)
	start := !c.busy && !c.pushing
	if start {
		c.pushing = true
	}
	c.mu.Unlock()
	if start {
		go c.sendPushed()
	}
}

// Pending is how many bytes wait to be sent.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) + c.writing
}

func (c *Conn) writeLimit() int64 {
	if c.server.WriteLimit == nil {
		return 0
	}
	return c.server.WriteLimit(c)
}

// sendPushed sends the queue until it is empty, or a batch takes over.
func (c *Conn) sendPushed() {
	for {
		c.wire.Lock()
		c.mu.Lock()
		if c.busy || c.closed || len(c.queue) == 0 {
			c.pushing = false
			c.mu.Unlock()
			c.wire.Unlock()
			return
		}
		p := c.take(0)
		c.mu.Unlock()
		c.write(p)
		c.wire.Unlock()
	}
}

const defaultPushLimit = 256 << 20

func (s *Server) pushLimit() int64 {
	if s.PushLimit > 0 {
		return s.PushLimit
	}
	return defaultPushLimit
}

// setBusy holds pushed bytes back while a batch runs.
func (c *Conn) setBusy() {
	c.mu.Lock()
	c.busy = true
	c.mu.Unlock()
}

// send writes the session's output and then what was pushed meanwhile, and lets pushes through
// again. It reports false when the connection is gone.
func (c *Conn) send() bool {
	out := c.session.Output()
	limit := c.writeLimit()
	c.wire.Lock()
	defer c.wire.Unlock()

	c.mu.Lock()
	c.busy = false
	if limit > 0 && int64(len(out)+len(c.queue)) > limit {
		c.mu.Unlock()
		c.Close()
		return false
	}
	pushed := c.take(len(out))
	c.mu.Unlock()

	if len(pushed) > 0 {
		c.session.Writer().Raw(pushed)
		out = c.session.Output()
	}
	ok := c.write(out)
	c.session.Sent()
	return ok
}

// take empties the queue into the writer's hands, beside other bytes; mu is held.
func (c *Conn) take(other int) []byte {
	p := c.queue
	c.queue = nil
	c.writing = len(p) + other
	return p
}

// write sends p; wire is held. A connection that cannot be written to is closed.
func (c *Conn) write(p []byte) bool {
	ok := true
	if len(p) > 0 {
		c.setWriteDeadline()
		if _, err := c.nc.Write(p); err != nil {
			c.Close()
			ok = false
		}
	}
	c.mu.Lock()
	c.writing = 0
	ok = ok && !c.closed
	c.mu.Unlock()
	return ok
}

// setWriteDeadline gives a client that reads nothing no longer than one that says nothing.
func (c *Conn) setWriteDeadline() {
	if c.server.ReadDeadline == nil {
		return
	}
	if d := c.server.ReadDeadline(c); c.timed || !d.IsZero() {
		c.nc.SetWriteDeadline(d)
		c.timed = !d.IsZero()
	}
}
