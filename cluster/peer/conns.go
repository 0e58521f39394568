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
	places   map[connKind]int // how many connections of each kind have a place
	handoffs map[route]*handoff
	evicted  uint64
}

func newConnections(limits *Limits) *connections {
	return &connections{limits: limits, open: map[*conn]struct{}{}, places: map[connKind]int{},
		handoffs: map[route]*handoff{}}
}

// addPending counts a connection as pending. If there are too many, it closes the oldest one. The caller
// calls endPending after the handshake, whatever came of it. It calls working.Done at the end of the
// goroutine that serves the connection. ok is false if the port is closed.
func (c *connections) addPending(raw net.Conn) (endPending func(), ok bool) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, false
	}
	c.working.Add(1)
	element := c.pending.PushBack(raw)
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
		c.pending.Remove(element)
	}, true
}

// takePlace takes a place for a connection of a kind. It reports false if none is free.
func (c *connections) takePlace(kind connKind) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.places[kind] >= c.limits.mostOpen(kind) {
		return false
	}
	c.places[kind]++
	return true
}

// freePlace gives a place back.
func (c *connections) freePlace(kind connKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places[kind]--
}

// addOpen makes a conn of an authenticated connection that has a place. Its Close frees the place.
func (c *connections) addOpen(inner net.Conn, kind connKind) (*conn, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false
	}
	made := &conn{Conn: inner, owner: c, kind: kind}
	c.open[made] = struct{}{}
	return made, true
}

func (c *connections) removeOpen(gone *conn) {
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
	for element := c.pending.Front(); element != nil; element = element.Next() {
		all = append(all, element.Value.(net.Conn))
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
	owner  *connections
	kind   connKind
	client net.Addr // the true address of a forwarded client; nil if it is not known
	once   sync.Once
}

// Close closes the connection and frees its place.
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.owner.removeOpen(c) })
	return err
}

// RemoteAddr returns the address of the other node, or of the forwarded client.
func (c *conn) RemoteAddr() net.Addr {
	if c.client != nil {
		return c.client
	}
	return c.Conn.RemoteAddr()
}

// Inner returns the connection inside. With it the kernel can copy between two sockets by itself.
func (c *conn) Inner() net.Conn { return c.Conn }
