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

// crowd is a listener with bounds on its open connections.
type crowd struct {
	net.Listener
	bounds Bounds
	ended  chan struct{} // closed with the listener

	mu     sync.Mutex // guards the fields below, and all guests
	room   *sync.Cond // a connection was closed or became idle, or the listener was closed
	open   list.List  // of guests; the one that was active last is at the back
	going  int        // guests of open that were sent away
	closed bool
	tick   atomic.Int64 // of watch; it starts at 1
}

// guest is an open connection.
type guest struct {
	deadlines
	crowd  *crowd
	place  *list.Element // in open; nil once it has left
	active bool          // the handler has its request
	since  int64         // the tick in which it became active or idle, or was sent away
	sent   atomic.Bool   // it was sent away: no further requests are read; it is set while mu is held
	heard  atomic.Int64  // the tick of the first byte of the next request; 0 for none
}

func newCrowd(ln net.Listener, bounds Bounds) *crowd {
	c := &crowd{Listener: ln, bounds: bounds, ended: make(chan struct{})}
	c.room = sync.NewCond(&c.mu)
	c.tick.Store(1)
	return c
}

// Accept waits for a connection, and then for room.
func (c *crowd) Accept() (net.Conn, error) {
	nc, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &guest{deadlines: deadlines{Conn: nc}, crowd: c}
	if !c.enter(g) {
		nc.Close()
		return nil, net.ErrClosed
	}
	return g, nil
}

// enter waits until there is room. It reports false if the listener is closed.
func (c *crowd) enter(g *guest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.full() && !c.closed {
		if idle := c.longestIdle(); idle != nil {
			c.sendAway(idle)
		} else {
			c.room.Wait()
		}
	}
	if !c.closed {
		g.place, g.since = c.open.PushBack(g), c.tick.Load()
	}
	return !c.closed
}

func (c *crowd) full() bool { return c.open.Len()-c.going >= c.bounds.Conns }

// mostGoing bounds the connections that were sent away and are still open: one more than one part in mostGoing of Bounds.Conns.
const mostGoing = 8

// sendAway makes an idle connection end. net/http may have read requests of its client that have not run yet. These run, and get
// their replies. If too many connections were sent away, it closes the connection at once. It requires mu.
func (c *crowd) sendAway(g *guest) {
	c.going++
	g.since = c.tick.Load()
	g.sent.Store(true)
	if tcp, ok := g.Conn.(*net.TCPConn); !ok || c.going > 1+c.bounds.Conns/mostGoing || tcp.CloseRead() != nil {
		c.leave(g)
		g.Conn.Close()
	}
}

// longestIdle returns the connection that has been idle for longest, nil if none is idle.
func (c *crowd) longestIdle() *guest {
	for at := c.open.Front(); at != nil; at = at.Next() {
		if g := at.Value.(*guest); !g.active && !g.sent.Load() {
			return g
		}
	}
	return nil
}

// leave requires mu.
func (c *crowd) leave(g *guest) {
	if g.place != nil {
		c.open.Remove(g.place)
		g.place = nil
		if g.sent.Load() {
			c.going--
		}
		c.room.Signal()
	}
}

// state follows a connection. A connection without a request is idle.
func (c *crowd) state(nc net.Conn, now http.ConnState) {
	g, ok := nc.(*guest)
	if !ok || now != http.StateActive && now != http.StateIdle {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.sent.Load() {
		return // its time runs since it was sent away
	}
	g.active, g.since = now == http.StateActive, c.tick.Load()
	if !g.active {
		g.heard.Store(0)
	}
	if g.place != nil && !g.active {
		c.open.MoveToBack(g.place)
		if c.full() {
			c.room.Signal()
		}
	}
}

// tickTime is the time between two looks at the connections. A deadline for each part of each request would cost more
// than the request of a limit.
const tickTime = time.Second

// watch closes connections that take too long, until the listener is closed.
func (c *crowd) watch() {
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

// look closes the connections whose time is up.
func (c *crowd) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.tick.Add(1)
	for at := c.open.Front(); at != nil; {
		g := at.Value.(*guest)
		at = at.Next()
		if g.late(now) {
			c.leave(g)
			g.Conn.Close()
		}
	}
}

// late reports whether the time of a connection is up.
func (g *guest) late(now int64) bool {
	since, most := g.since, g.crowd.bounds.Idle
	if heard := g.heard.Load(); heard > 0 && !g.active {
		since, most = heard, 0
	}
	if g.active || g.sent.Load() || most == 0 {
		most = g.crowd.bounds.Request
	}
	return time.Duration(now-since)*tickTime > most
}

// Read notes the first byte of a request. Before it, other goroutines run: meanwhile the next request of a busy client
// arrives, so it needs no wait. This saves 5 % of the time of a request.
func (g *guest) Read(p []byte) (int, error) {
	if g.sent.Load() {
		return 0, io.EOF
	}
	if g.heard.Load() == 0 {
		runtime.Gosched()
	}
	n, err := g.deadlines.Read(p)
	if n > 0 && g.heard.Load() == 0 {
		g.heard.Store(g.crowd.tick.Load())
	}
	return n, err
}

// Close closes the listener. Connections stay open.
func (c *crowd) Close() error {
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
func (g *guest) Close() error {
	g.crowd.mu.Lock()
	g.crowd.leave(g)
	g.crowd.mu.Unlock()
	return g.Conn.Close()
}
