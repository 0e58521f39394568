package transport

import (
	"sync"
	"syscall"
)

// loop serves many connections on one goroutine. This file adds connections to it and removes them;
// turn_linux.go serves them.
type loop struct {
	host    *host
	alone   bool // no processor is without a loop
	poll    epoll
	conns   []*Conn // by descriptor
	current *Conn   // the connection that is being served: a panic closes it

	queues
	thisTurn

	readBuffer []byte   // lent to one session after the other
	spare      [][]byte // buffers for replies, lent to sessions until their replies are sent
	mailbox
}

// thisTurn is what a loop knows about the turn at hand.
type thisTurn struct {
	due  []*Conn   // connections that get their replies at the end of this turn
	mark uint64    // of the Barrier, when the turn began
	next *heldTurn // for the next turn that the Barrier holds
	held int       // how many turns the Barrier holds
}

// mailbox is what other goroutines say to a loop.
type mailbox struct {
	mu    sync.Mutex  // guards the fields below
	inbox []*Conn     // posted connections
	freed []*heldTurn // turns that the Barrier holds no longer
	over  bool        // the server has stopped
	ended bool        // run has returned
}

func newLoop(h *host, alone bool, monotonic func() int64) (*loop, error) {
	l := &loop{host: h, alone: alone, readBuffer: make([]byte, readSize)}
	l.poll.monotonic = monotonic
	l.next = newHeldTurn(l)
	return l, l.poll.open()
}

// post asks the loop to handle a connection: it is new, it has pushed messages, or it is to be closed.
func (l *loop) post(c *Conn) {
	l.mu.Lock()
	l.inbox = append(l.inbox, c)
	first := len(l.inbox) == 1
	l.mu.Unlock()
	if first {
		l.poll.wake()
	}
}

// takeInbox returns the posted connections, the freed turns, and whether the server has stopped.
func (l *loop) takeInbox() (posted []*Conn, freed []*heldTurn, over bool) {
	l.poll.clearWake()
	l.mu.Lock()
	defer l.mu.Unlock()
	posted, l.inbox = l.inbox, nil
	freed, l.freed = l.freed, nil
	return posted, freed, l.over
}

// close frees what the loop holds of the system.
func (l *loop) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.poll.close()
}

// stop ends the loop. The server has closed all its connections before.
func (l *loop) stop() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.poll.wake()
}

// adopt takes a connection from its worker. It reports false, and changes nothing, if that is not possible:
// then the worker goes on. The loop begins to serve the connection in its next turn.
func (l *loop) adopt(c *Conn, raw syscall.Conn) bool {
	c.wire.Lock() // wait until no goroutine writes to nc
	defer c.wire.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	l.host.adopting.Lock()
	fd, err := duplicate(raw)
	if err == nil {
		c.nc.Close()
	}
	l.host.adopting.Unlock()
	if err != nil {
		return false
	}
	c.nc, c.fd, c.loop = nil, fd, l
	c.session.SetMayOffload(true)
	l.post(c)
	return true
}

// serves reports whether the loop serves the connection now.
func (l *loop) serves(c *Conn) bool {
	return c != nil && c.fd >= 0 && c.fd < len(l.conns) && l.conns[c.fd] == c
}

// add begins to serve an adopted connection.
func (l *loop) add(c *Conn) bool {
	if l.poll.add(c.fd) != nil {
		return false
	}
	for c.fd >= len(l.conns) {
		l.conns = append(l.conns, nil)
		l.queued = append(l.queued, false)
	}
	l.conns[c.fd] = c
	return true
}

// release passes a connection to a worker.
func (l *loop) release(c *Conn) {
	l.poll.remove(c.fd)
	l.conns[c.fd], l.current = nil, nil
	nc := newSocket(c.fd, c.remote, c.local)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		l.end(c, nc.Close, nil)
		return
	}
	c.loop, c.nc, c.fd, c.busy = nil, nc, -1, true
	c.session.SetMayOffload(false)
	c.mu.Unlock()
	c.host.work(c, c.status)
}

// drop closes a connection that the loop serves. It does nothing if the loop has dropped it before.
func (l *loop) drop(c *Conn, reason any) {
	if !l.serves(c) {
		return
	}
	l.conns[c.fd] = nil
	l.closeFD(c, reason)
}

// closeFD closes a connection that is not in conns.
func (l *loop) closeFD(c *Conn, reason any) {
	fd := c.fd
	l.end(c, func() error { return syscall.Close(fd) }, reason)
}

// end closes a removed connection, and forgets it even if its handler panics.
func (l *loop) end(c *Conn, closeFD func() error, reason any) {
	defer l.host.finish(c, reason)
	c.Close()
	c.mu.Lock()
	c.fd = -1
	c.mu.Unlock()
	closeFD()
	c.notifyClosed()
}

func (l *loop) cutOff(fd int) { syscall.Shutdown(fd, syscall.SHUT_RDWR) }
