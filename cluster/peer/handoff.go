package peer

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// A route says which connections the listener of a handoff gets.
type route struct {
	kind  connKind
	group uint16
}

// A handoff is a listener that gets the accepted connections of a route.
type handoff struct {
	owner *connections
	route route
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// addHandoff begins to serve a route.
func (c *connections) addHandoff(r route, addr net.Addr) (*handoff, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, net.ErrClosed
	case c.handoffs[r] != nil:
		return nil, fmt.Errorf("the peer port serves %s connections of group %d already", r.kind, r.group)
	}
	h := &handoff{owner: c, route: r, addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
	c.handoffs[r] = h
	return h, nil
}

// handoff returns the listener of a route, or nil.
func (c *connections) handoff(r route) *handoff {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handoffs[r]
}

// give waits until the listener accepts a connection. It closes the connection if the listener is closed.
func (h *handoff) give(conn net.Conn) {
	select {
	case h.conns <- conn:
	case <-h.done:
		_ = conn.Close()
	}
}

// Accept waits for a connection.
func (h *handoff) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept. The port refuses further connections of the route. Open ones stay open.
func (h *handoff) Close() error {
	h.once.Do(func() {
		close(h.done)
		h.owner.mu.Lock()
		defer h.owner.mu.Unlock()
		delete(h.owner.handoffs, h.route)
	})
	return nil
}

// Addr returns the address that the other nodes know.
func (h *handoff) Addr() net.Addr { return h.addr }

// A stream is the raft.StreamLayer of a group.
type stream struct {
	*handoff
	dialer *Dialer

	mu     sync.Mutex // guards closed and dialed
	closed bool
	dialed map[*dialed]struct{} // open connections
}

// Accept waits for a connection with requests.
func (s *stream) Accept() (net.Conn, error) {
	conn, err := s.handoff.Accept()
	if err != nil {
		return nil, err
	}
	return &requests{Conn: conn, patience: s.owner.limits.Step}, nil
}

// requests is a connection that another node has opened for requests. It ends if a request stops in the
// middle. Raft reads a snapshot on its main goroutine, and votes for nobody until the last byte has come. The
// leader that sends it may hang meanwhile.
type requests struct {
	net.Conn
	patience time.Duration // for the next bytes of a request
	inside   bool          // bytes of a request have come, and no answer was written yet
}

// Read implements [net.Conn].
func (r *requests) Read(p []byte) (n int, err error) {
	if !r.inside {
		n, err = r.Conn.Read(p)
		r.inside = true
		return n, err
	}
	err = within(r.Conn, r.patience, func() error {
		n, err = r.Conn.Read(p)
		return err
	})
	return n, err
}

// Write implements [net.Conn]. It writes an answer, so the next request may come at any time.
func (r *requests) Write(p []byte) (int, error) {
	r.inside = false
	return r.Conn.Write(p)
}

// Dial opens a connection of the kind of the stream. It ends with the stream, whatever Raft waits for.
func (s *stream) Dial(to raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	inner, err := s.dialer.Dial(ctx, string(to), s.route.kind, s.route.group)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = inner.Close()
		return nil, net.ErrClosed
	}
	conn := &dialed{inner, s}
	s.dialed[conn] = struct{}{}
	return conn, nil
}

// Close ends Accept, and closes the connections that Dial has opened.
func (s *stream) Close() error {
	s.mu.Lock()
	s.closed = true
	var open []*dialed
	for conn := range s.dialed {
		open = append(open, conn)
	}
	s.mu.Unlock()
	for _, conn := range open {
		_ = conn.Close()
	}
	return s.handoff.Close()
}

// dialed is a connection that a stream has opened.
type dialed struct {
	net.Conn
	stream *stream
}

// Close implements [net.Conn].
func (c *dialed) Close() error {
	c.stream.mu.Lock()
	delete(c.stream.dialed, c)
	c.stream.mu.Unlock()
	return c.Conn.Close()
}

// An address is host:port, as the other nodes know it.
type address string

// Network returns "tcp".
func (address) Network() string { return "tcp" }

// String returns host:port.
func (a address) String() string { return string(a) }
