package bounded

import (
	"container/list"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// connections is a listener with bounds on its open connections.
type connections struct {
	net.Listener
	bounds Bounds
	ended  chan struct{} // closed with the listener

	mu     sync.Mutex // guards the fields below, and all connections
	room   *sync.Cond // a connection may make room, or the listener was closed
	open   list.List  // of connections; the one that was active last is at the back
	closed bool
	queued atomic.Bool  // a new connection waits for room
	tick   atomic.Int64 // of watch; it starts at 1
}

// connection is an open connection.
type connection struct {
	deadlines
	connections *connections
	head        *head         // of the reply to come; only the goroutine of the handler uses it
	place       *list.Element // in open; nil once it has left
	active      bool          // the handler has its request
	since       int64         // the tick in which it became active or idle
	heard       atomic.Int64  // the tick of the first byte of the next request, or a constant below
}

// The values of heard without a byte of the next request.
const (
	waits    = 0  // net/http waits for the first byte
	prepares = -1 // net/http may have read more than one request before
	gone     = -2 // it made room: net/http gets no further byte
)

func newConnections(ln net.Listener, bounds Bounds) *connections {
	c := &connections{Listener: ln, bounds: bounds, ended: make(chan struct{})}
	c.room = sync.NewCond(&c.mu)
	c.tick.Store(1)
	return c
}

// Accept waits for a connection, and then for room.
func (c *connections) Accept() (net.Conn, error) {
	nc, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &connection{deadlines: deadlines{Conn: nc}, connections: c}
	g.heard.Store(prepares)
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
	for c.full() && !c.closed {
		c.queued.Store(true)
		if idle := c.longestIdle(); idle != nil {
			c.leave(idle)
			idle.Conn.Close()
		} else {
			c.room.Wait()
		}
	}
	c.queued.Store(false)
	if !c.closed {
		g.place, g.since = c.open.PushBack(g), c.tick.Load()
	}
	return !c.closed
}

func (c *connections) full() bool { return c.open.Len() >= c.bounds.Conns }

// longestIdle returns the connection that has waited for a request for longest. If no connection waits for a request,
// it returns one that waits for the rest of a request, or nil.
func (c *connections) longestIdle() (unfinished *connection) {
	for at := c.open.Front(); at != nil; at = at.Next() {
		g := at.Value.(*connection)
		if g.active {
			continue
		}
		if g.heard.CompareAndSwap(waits, gone) {
			return g
		}
		if unfinished == nil && g.heard.Load() > 0 && g.reads.Load()&reading != 0 {
			unfinished = g
		}
	}
	return unfinished
}

// leave requires mu.
func (c *connections) leave(g *connection) {
	if g.place != nil {
		c.open.Remove(g.place)
		g.place = nil
		c.room.Signal()
	}
}

// state follows a connection. A connection without a request is idle.
func (c *connections) state(nc net.Conn, now http.ConnState) {
	g, ok := nc.(*connection)
	if !ok || now != http.StateActive && now != http.StateIdle {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g.active, g.since = now == http.StateActive, c.tick.Load()
	if g.place != nil && !g.active {
		g.heard.Store(prepares)
		c.open.MoveToBack(g.place)
	}
}

// tickTime is the time between two checks of the connections. A deadline for each part of each request would cost more
// than the request of a limit.
const tickTime = time.Second

// watch closes connections that take too long, until the listener is closed.
func (c *connections) watch() {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.look()
		case <-c.ended:
			return
		}
	}
}

// look closes the connections that have exceeded their time.
func (c *connections) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.tick.Add(1)
	c.room.Signal() // a connection may wait for the rest of a request
	for at := c.open.Front(); at != nil; {
		g := at.Value.(*connection)
		at = at.Next()
		if g.late(now) {
			c.leave(g)
			g.Conn.Close()
		}
	}
}

// late reports whether a connection has exceeded its time.
func (g *connection) late(now int64) bool {
	since, most := g.since, g.connections.bounds.Idle
	if heard := g.heard.Load(); heard > 0 && !g.active {
		since, most = heard, 0
	}
	if g.active || most == 0 {
		most = g.connections.bounds.Request
	}
	return time.Duration(now-since)*tickTime > most
}

// Read notes the first byte of a request. A connection makes room either before this byte or not at all, so a request that
// net/http gets also gets its reply.
func (g *connection) Read(p []byte) (int, error) {
	if g.heard.Load() == prepares {
		g.wait()
	}
	n, err := g.deadlines.Read(p)
	if n > 0 && g.heard.Load() <= 0 && !g.heard.CompareAndSwap(waits, g.connections.tick.Load()) {
		return 0, io.EOF
	}
	return n, err
}

// wait begins to wait for a request. Before it reads, other goroutines run: meanwhile the next request of a busy client
// arrives, so it needs no wait. This saves 5 % of the time of a request.
func (g *connection) wait() {
	runtime.Gosched()
	g.heard.Store(waits)
	if g.connections.queued.Load() {
		g.connections.mu.Lock()
		g.connections.room.Signal()
		g.connections.mu.Unlock()
	}
}

// Close closes the listener. Connections stay open.
func (c *connections) Close() error {
	c.mu.Lock()
	if !c.closed {
		close(c.ended)
	}
	c.closed = true
	c.room.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// Close closes the connection and makes room.
func (g *connection) Close() error {
	g.connections.mu.Lock()
	g.connections.leave(g)
	g.connections.mu.Unlock()
	return g.Conn.Close()
}
