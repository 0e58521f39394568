package transport

import (
	"sync/atomic"

	"cellserver/resp"
)

// outbox is what is to leave for a client.
type outbox struct {
	busy    bool         // a batch runs or goes on, or its replies are held: pushed bytes wait for them
	pushing bool         // a loop or a goroutine will send the queue
	queue   []byte       // pushed bytes that no goroutine sends yet
	early   int          // bytes of queue that were pushed before Wake: they leave before the command's reply
	writing atomic.Int64 // bytes that are being sent, are held, or are counted already while the batch runs
}

// Push sends p, one complete message, between replies: at once if the client is idle, otherwise after the
// replies of the batch that runs. It copies p and never blocks. Push closes a client whose waiting bytes
// exceed the handler's OutputLimit or, without one, the server's PushLimit.
func (c *Conn) Push(p []byte) {
	limit := c.handler.OutputLimit()
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	size := len(c.queue) + len(p)
	if limit > 0 && size+int(c.writing.Load()) > limit || limit == 0 && size > c.host.pushLimit {
		c.mu.Unlock()
		c.Close()
		return
	}
	c.setQueue(append(c.queue, p...))
	c.sendQueue()
	c.mu.Unlock()
}

// sendQueue starts the sending of the queue, unless the end of a batch does it; mu is held.
func (c *Conn) sendQueue() {
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

// Pending returns the number of bytes that wait to be sent.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0
	}
	return len(c.queue) + int(c.writing.Load())
}

// sendPushed sends the queue until it is empty, or until a batch or an event loop sends it instead.
func (c *Conn) sendPushed() {
	for {
		c.wire.Lock()
		c.mu.Lock()
		nc := c.nc
		if c.busy || c.closed || nc == nil || len(c.queue) == 0 {
			c.pushing = false
			c.sendQueue()
			c.mu.Unlock()
			c.wire.Unlock()
			return
		}
		p := c.takeQueue(false)
		c.writing.Store(int64(len(p)))
		c.mu.Unlock()
		c.all.change(0, len(p))
		if c.handler.MessageNeed() > 0 {
			c.host.barrier.Wait(0) // the result does not matter: a message promises nothing
		}
		c.write(nc, p)
		c.all.change(len(p), 0)
		c.wire.Unlock()
	}
}

// runBatch runs the commands that n new bytes complete, and returns how the batch ended. Messages that were
// pushed before leave before its replies. It holds later ones back until endBatch, but the last output of a
// connection gets them.
func (c *Conn) runBatch(n int) resp.Status {
	c.mark = c.host.barrier.Mark()
	c.mu.Lock()
	c.busy = true
	told := len(c.queue) > 0
	c.mu.Unlock()
	if told {
		c.takeMessages(n == 0)
	}
	if limit := c.handler.OutputLimit(); limit != c.session.OutputLimit() {
		c.session.LimitOutput(limit)
	}
	c.status = c.session.Filled(n)
	if c.need = max(c.need, c.session.Need()); c.status == resp.Close {
		c.takeMessages(false)
	}
	return c.status
}

// takeMessages moves the queue to the output, or only the messages that were pushed before Wake. It holds the
// others back until endBatch.
func (c *Conn) takeMessages(early bool) {
	c.mu.Lock()
	c.busy = true
	pushed := c.takeQueue(early)
	c.count(c.counted + int64(len(pushed)))
	c.mu.Unlock()
	if len(pushed) > 0 {
		c.session.Append(pushed)
		c.need = max(c.need, c.handler.MessageNeed())
	}
}

// count sets the part of writing that belongs to the session's output; mu is held.
func (c *Conn) count(output int64) {
	c.writing.Add(output - c.counted)
	c.counted = output
}

// countOutput counts the session's output, which has size bytes. It returns the limit of the output:
// OutputLimit less the bytes that wait already, at least 1. The limit is 0 if there is no OutputLimit.
// countOutput counts nothing if the output exceeds the limit.
func (c *Conn) countOutput(size int) (limit int) {
	limit = c.handler.OutputLimit()
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit > 0 {
		limit = max(1, limit-len(c.queue)-int(c.writing.Load()-c.counted))
	}
	if limit == 0 || size <= limit {
		c.count(int64(size))
	}
	return limit
}

// outputGrew counts a large output while the batch runs: messages that are pushed meanwhile add to it. It
// returns the limit of the output.
func (c *Conn) outputGrew(size int) (limit int) {
	c.setMemory(size)
	return c.countOutput(size)
}

// endBatch makes the bytes to send the session's output. The messages that were pushed meanwhile follow the
// replies. If they have to wait for the barrier, they stay in the queue, and endBatch starts their sending.
// It returns the number of bytes to send, and false if the connection is closed or if more bytes wait than
// OutputLimit allows.
func (c *Conn) endBatch() (int, bool) {
	out, limit := c.session.Pending(), c.handler.OutputLimit()
	c.mu.Lock()
	if c.closed || limit > 0 && out+len(c.queue) > limit {
		c.mu.Unlock()
		return 0, false
	}
	c.paused, c.need, c.counted = c.status == resp.Retry, 0, 0
	c.busy = c.paused && c.woken
	var pushed []byte
	switch {
	case len(c.queue) == 0:
	case c.handler.MessageNeed() != 0:
		c.sendQueue()
	default:
		pushed = c.takeQueue(c.busy)
	}
	c.writing.Store(int64(out + len(pushed)))
	c.mu.Unlock()
	if len(pushed) > 0 {
		c.session.Append(pushed)
	}
	if out += len(pushed); out > memoryStep {
		c.setMemory(c.session.Capacity())
	}
	return out, true
}

// takeQueue takes the queue, or only its early part; mu is held.
func (c *Conn) takeQueue(early bool) []byte {
	n := len(c.queue)
	if early {
		n = min(n, c.early)
	}
	p, rest := c.queue[:n:n], c.queue[n:]
	if len(rest) == 0 {
		rest = nil // it would keep the memory of p
	}
	c.setQueue(rest)
	c.early = 0
	return p
}

// write sends p; wire is held. It closes the connection after an error, and reports whether the connection
// is open.
func (c *Conn) write(nc interface{ Write([]byte) (int, error) }, p []byte) bool {
	if len(p) > 0 {
		n, err := nc.Write(p)
		if n > 0 {
			c.sent(n)
		}
		if err != nil {
			c.Close()
		}
	}
	c.writing.Add(-int64(len(p)))
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed
}

// setQueue replaces the pushed bytes that no goroutine sends yet; mu is held.
func (c *Conn) setQueue(queue []byte) {
	c.all.change(len(c.queue), len(queue))
	c.queue = queue
}
