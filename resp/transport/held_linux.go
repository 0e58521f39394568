package transport

import "cellserver/resp"

// heldTurn is what the Barrier holds of one turn of an event loop.
type heldTurn struct {
	loop  *loop
	conns []*Conn
	safe  bool            // the changes are safe; valid in loop.freed
	done  func(safe bool) // free, made once: a turn that is not held allocates nothing
}

func newHeldTurn(l *loop) *heldTurn {
	h := &heldTurn{loop: l}
	h.done = h.free
	return h
}

// askBarrier asks whether the clients of this turn may have replies that need up to a position. It returns
// nil if they may, and otherwise the turn that holds the clients that must wait.
func (l *loop) askBarrier(need uint64) (held *heldTurn) {
	safe, now := l.host.barrier.Later(need, l.mark, l.next.done)
	switch {
	case !now:
		held, l.next = l.next, newHeldTurn(l)
		l.held++
	case !safe:
		for _, c := range l.due {
			c.lost = c.lost || c.need > 0
		}
	}
	return held
}

// hold holds the replies of a connection, which has no further batch until the Barrier frees them. So the
// replies keep their order, and their size is bounded. Messages to the client wait behind them.
func (h *heldTurn) hold(c *Conn) {
	c.due, c.told, c.held, c.need = false, false, true, 0
	pending := c.session.Pending()
	if limit := c.countOutput(pending); limit > 0 && pending > limit {
		h.loop.drop(c, nil)
		return
	}
	if pending > memoryStep {
		c.setMemory(c.session.Capacity())
	}
	h.conns = append(h.conns, c)
}

// free lets the loop answer the turn. The Barrier calls it, on any goroutine.
func (h *heldTurn) free(safe bool) {
	l := h.loop
	l.mu.Lock()
	defer l.mu.Unlock()
	h.safe = safe
	l.freed = append(l.freed, h)
	if len(l.freed) == 1 && !l.ended {
		l.poll.wake()
	}
}

// answerHeld makes sendReplies answer the clients of a freed turn. It skips connections that are closed.
func (l *loop) answerHeld(h *heldTurn) {
	for _, c := range h.conns {
		if !c.held || !l.serves(c) {
			continue
		}
		c.held, c.lost = false, !h.safe
		if c.unread {
			c.unread = false
			l.enqueue(c, &l.ready)
		}
		if c.stopping.Load() && c.status != resp.Close {
			c.status = resp.Close
			c.takeMessages(false)
		}
		l.setDue(c)
	}
}

// putOff handles a held connection that has input or is closed. Only a Close ends it now: a client that has
// closed its side still gets its replies.
func (l *loop) putOff(c *Conn) {
	c.unread = true
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		l.drop(c, nil)
	}
}
