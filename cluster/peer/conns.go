package peer

import (
	"container/list"
	"net"
	"sync"
)

// connections has all connections of a port.
type connections struct {
	limits  *Limits
	working sync.WaitGroup // the goroutines of the port

	mu       sync.Mutex // guards the fields below
	closed   bool
	pending  list.List // of net.Conn, the oldest first
	open     map[*conn]struct{}
	places   map[connKind]int // the number of open connections of each kind
	handoffs map[route]*handoff
	evicted  uint64
}

func newConnections(limits *Limits) *connections {
	return &connections{limits: limits, open: map[*conn]struct{}{}, places: map[connKind]int{},
		handoffs: map[route]*handoff{}}
}

// begin counts a connection as pending. If there are too many, it closes the oldest one. The caller calls
// authenticated once it knows who is at the other end, and working.Done at the end of the goroutine that
// serves the connection.
func (c *connections) begin(raw net.Conn) (authenticated func(), ok bool) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, false
	}
	c.working.Add(1)
	at := c.pending.PushBack(raw)
	var oldest net.Conn
	if c.pending.Len() > c.limits.Pending {
		oldest = c.pending.Remove(c.pending.Front()).(net.Conn)
		c.evicted++
	}
	c.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pending.Remove(at)
	}, true
}

// take takes a place for a connection of a kind.
func (c *connections) take(kind connKind) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.places[kind] >= c.limits.of(kind) {
		return false
	}
	c.places[kind]++
	return true
}

// free gives a place back.
func (c *connections) free(kind connKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places[kind]--
}

// add makes an authenticated connection one of the port. It has a place, and frees it when it is closed.
func (c *connections) add(inner net.Conn, kind connKind) (*conn, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false
	}
	made := &conn{Conn: inner, of: c, kind: kind}
	c.open[made] = struct{}{}
	return made, true
}

func (c *connections) remove(gone *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, gone)
	c.places[gone.kind]--
}

// close closes all connections and handoffs, and waits until the goroutines end. From then on there are no
// new ones.
func (c *connections) close() {
	c.mu.Lock()
	c.closed = true
	var all []interface{ Close() error }
	for at := c.pending.Front(); at != nil; at = at.Next() {
		all = append(all, at.Value.(net.Conn))
	}
	for open := range c.open {
		all = append(all, open)
	}
	for _, h := range c.handoffs {
		all = append(all, h)
	}
	c.mu.Unlock()
	for _, one := range all {
		c.working.Go(func() { _ = one.Close() }) // TLS may wait for the other end
	}
	c.working.Wait()
}

// conn is an authenticated connection of the port.
type conn struct {
	net.Conn
	of     *connections
	kind   connKind
	client net.Addr // the true address of a forwarded client; nil if it is not known
	once   sync.Once
}

// Close closes the connection and frees its place.
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.of.remove(c) })
	return err
}

// RemoteAddr returns the address of the other node, or of the forwarded client.
func (c *conn) RemoteAddr() net.Addr {
	if c.client != nil {
		return c.client
	}
	return c.Conn.RemoteAddr()
}

// Inner returns the connection inside, so that the system can copy between two sockets by itself.
func (c *conn) Inner() net.Conn { return c.Conn }
