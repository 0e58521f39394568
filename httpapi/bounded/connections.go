package bounded

import (
	"container/list"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// connections is a listener with a bound on its open connections.
type connections struct {
	net.Listener
	most int // open connections

	mu     sync.Mutex // guards the fields below
	room   *sync.Cond // a connection may make room, or the listener was closed
	open   list.List  // of *connection; the one that was accepted or became idle last is at the back
	closed bool
	queued atomic.Bool  // a new connection waits for room
	begun  atomic.Int64 // connections and requests that have begun
}

// connection is an open connection.
type connection struct {
	net.Conn
	of    *connections
	place *list.Element // in open; nil once it has left; of.mu guards it
	state atomic.Int32
	turn  atomic.Int64 // of.begun at the beginning of the connection, or else of its request
}

// The states of a connection.
const (
	// unfinished: a client has not sent the whole head of its request, or shakes hands. It may
	// have sent nothing.
	unfinished = iota
	active     // a handler has the request
	prepares   // the handler has returned, and net/http may hold a part of the body or of the next request
	waits      // net/http waits for bytes of either
	gone       // it made room: net/http gets no further byte
)

func newConnections(ln net.Listener, most int) *connections {
	c := &connections{Listener: ln, most: most}
	c.room = sync.NewCond(&c.mu)
	return c
}

// Accept waits for a connection, and then for room.
func (c *connections) Accept() (net.Conn, error) {
	nc, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &connection{Conn: nc, of: c}
	if !c.enter(g) {
		nc.Close()
		return nil, net.ErrClosed
	}
	return g, nil
}

// enter waits until there is room. It reports false if the listener is closed.
func (c *connections) enter(g *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.open.Len() >= c.most && !c.closed {
		c.queued.Store(true)
		if !c.displace() {
			c.room.Wait()
		}
	}
	c.queued.Store(false)
	if !c.closed {
		g.turn.Store(c.begun.Add(1))
		g.place = c.open.PushBack(g)
	}
	return !c.closed
}

// displace closes one connection without a request. It reports false if there is none. Unfinished requests
// go first if an eighth of all connections has one: so clients that never finish do not displace those that
// kept a connection. Of each kind the one that began first goes. displace requires mu.
func (c *connections) displace() bool {
	var idle, oldest *connection
	unfinishedCount := 0
	for place := c.open.Front(); place != nil; place = place.Next() {
		g := place.Value.(*connection)
		switch g.state.Load() {
		case waits:
			if idle == nil {
				idle = g
			}
		case unfinished:
			unfinishedCount++
			if oldest == nil || g.turn.Load() < oldest.turn.Load() {
				oldest = g
			}
		}
	}
	chosen, state := idle, int32(waits)
	if oldest != nil && (idle == nil || unfinishedCount > c.most/8) {
		chosen, state = oldest, unfinished
	}
	// A request that begins meanwhile keeps its connection, and the caller looks again.
	if chosen != nil && chosen.state.CompareAndSwap(state, gone) {
		c.leave(chosen)
		chosen.Conn.Close()
	}
	return chosen != nil
}

// leave requires mu.
func (c *connections) leave(g *connection) {
	if g.place != nil {
		c.open.Remove(g.place)
		g.place = nil
		c.room.Signal()
	}
}

// follow notes the states of net/http. StateActive begins when the head of a request is read.
func (c *connections) follow(nc net.Conn, now http.ConnState) {
	g := connectionOf(nc)
	switch now {
	case http.StateActive:
		// A pipelined request was read before: then the connection still prepares.
		_ = g.state.CompareAndSwap(unfinished, active) || g.state.CompareAndSwap(prepares, active)
	case http.StateIdle:
		c.mu.Lock()
		defer c.mu.Unlock()
		if g.place != nil {
			g.state.Store(prepares)
			c.open.MoveToBack(g.place)
		}
	}
}

// connectionOf returns the connection below TLS.
func connectionOf(nc net.Conn) *connection {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	return nc.(*connection)
}

// Read notes the first byte of a request. A connection that waits makes room before this byte or not at all.
func (g *connection) Read(p []byte) (int, error) {
	if g.state.CompareAndSwap(prepares, waits) && g.of.queued.Load() {
		g.of.mu.Lock()
		g.of.room.Signal()
		g.of.mu.Unlock()
	}
	n, err := g.Conn.Read(p)
	if n > 0 && g.state.Load() == waits {
		g.turn.Store(g.of.begun.Add(1)) // the connection is old, but its request is not
	}
	if n > 0 && !g.state.CompareAndSwap(waits, unfinished) && g.state.Load() == gone {
		return 0, io.EOF
	}
	return n, err
}

// cut closes every connection below TLS. TLS says goodbye first, and waits for clients that read nothing.
func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for place := c.open.Front(); place != nil; place = place.Next() {
		_ = place.Value.(*connection).Conn.Close()
	}
}

// Close closes the listener. Connections stay open.
func (c *connections) Close() error {
	c.mu.Lock()
	c.closed = true
	c.room.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// CloseWrite ends the replies, and the client may still send. net/http does so after a head that is too
// large. Without it the reply ends with a reset, half a second later, and a proxy takes that for an outage.
func (g *connection) CloseWrite() error {
	if half, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil // Close follows
}

// Close closes the connection and makes room.
func (g *connection) Close() error {
	g.of.mu.Lock()
	g.of.leave(g)
	g.of.mu.Unlock()
	return g.Conn.Close()
}
