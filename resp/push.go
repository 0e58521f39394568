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
	if limit > 0 && waits+c.writing.Load() > limit || limit == 0 && waits > pushLimit {
		c.mu.Unlock()
		c.Close()
		return
	}
	c.queue = append(c.queue, p...)
	c.deliver()
	c.mu.Unlock()
}

// deliver sees to it that the queue is sent, if no batch does it at its end; mu is held.
func (c *Conn) deliver() {
	if c.busy || c.pushing || c.closed || len(c.queue) == 0 {
		return
	}
	c.pushing = true
	if c.loop != nil {
		c.loop.post(c)
	} else {
		go c.sendPushed()
	}
}

// Pending is how many bytes wait to be sent.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0
	}
	return len(c.queue) + int(c.writing.Load())
}

func (c *Conn) writeLimit() int64 {
	if c.server.WriteLimit == nil {
		return 0
	}
	return c.server.WriteLimit(c)
}

// sendPushed sends the queue until it is empty, or whoever runs a batch or carries the connection
// by now takes over.
func (c *Conn) sendPushed() {
	for {
		c.wire.Lock()
		c.mu.Lock()
		nc := c.nc
		if c.busy || c.closed || nc == nil || len(c.queue) == 0 {
			c.pushing = false
			c.deliver()
			c.mu.Unlock()
			c.wire.Unlock()
			return
		}
		p := c.take()
		c.writing.Store(int64(len(p)))
		c.mu.Unlock()
		c.server.settle(0) // a message is no promise: it may leave in any case
		c.write(nc, p)
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

// setBusy begins a batch: pushed bytes are held back while it runs.
func (c *Conn) setBusy() {
	c.mark = c.server.mark()
	c.mu.Lock()
	c.busy = true
	c.mu.Unlock()
}

// outgoing ends a batch, and lets pushes through again. It returns what is to be sent: the session's
// output and then what was pushed meanwhile. It reports false when the connection is gone, or would
// let more wait than it may.
func (c *Conn) outgoing() ([]byte, bool) {
	out := c.session.Output()
	limit := c.writeLimit()
	c.mu.Lock()
	c.busy = false
	gone := c.closed
	tooMuch := limit > 0 && int64(len(out)+len(c.queue)) > limit
	pushed := c.take()
	c.writing.Store(int64(len(out) + len(pushed)))
	c.mu.Unlock()
	if gone || tooMuch {
		return nil, false
	}
	if len(pushed) > 0 {
		c.session.Writer().Raw(pushed)
		out = c.session.Output()
	}
	return out, true
}

// take empties the queue; mu is held.
func (c *Conn) take() []byte {
	p := c.queue
	if p != nil {
		c.queue = nil
	}
	return p
}

// send writes the session's output and then what was pushed meanwhile. It reports false when the
// connection is gone.
func (k *carrier) send() bool {
	if !k.server.settle(k.mark) {
		k.Close()
		return false
	}
	k.wire.Lock()
	defer k.wire.Unlock()
	out, ok := k.outgoing()
	if !ok {
		k.Close()
		return false
	}
	ok = k.write(k.nc, out)
	k.session.Sent()
	return ok
}

// write sends p; wire is held. A connection that cannot be written to is closed.
func (c *Conn) write(nc interface{ Write([]byte) (int, error) }, p []byte) bool {
	if len(p) > 0 {
		n, err := nc.Write(p)
		c.sent(n)
		if err != nil {
			c.Close()
		}
	}
	c.writing.Store(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed
}
