package cluster

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// network is where the machines of a test reach each other: pipes instead of sockets.
type network struct {
	mu        sync.Mutex // guards the fields below
	listeners map[string]*pipeListener
	down      map[string]bool // machines that nobody reaches, and that reach nobody; by host
	open      map[*pipe]bool
	stalled   chan struct{} // no byte of the stuck machine moves until it is closed
	stuck     string        // the host of that machine; "" for all
}

func newNetwork() *network {
	flowing := make(chan struct{})
	close(flowing)
	return &network{listeners: map[string]*pipeListener{}, down: map[string]bool{}, open: map[*pipe]bool{}, stalled: flowing}
}

// stall stops all bytes that a machine sends from now on, until flow is called. Connections stay open. "" is all machines.
func (n *network) stall(machine string) (flow func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	stalled := make(chan struct{})
	n.stalled, n.stuck = stalled, machine
	return func() { close(stalled) }
}

// pipe is one end of a connection.
type pipe struct {
	net.Conn
	of      *network
	machine string
	closed  chan struct{}
	once    sync.Once
	late    atomic.Pointer[time.Time] // until when Write may wait
}

// Write implements [net.Conn].
func (c *pipe) Write(b []byte) (int, error) {
	c.of.mu.Lock()
	stalled, stuck := c.of.stalled, c.of.stuck
	c.of.mu.Unlock()
	if stuck != "" && stuck != c.machine {
		return c.Conn.Write(b)
	}
	var late <-chan time.Time
	if at := c.late.Load(); at != nil && !at.IsZero() {
		late = time.After(time.Until(*at))
	}
	select {
	case <-stalled:
		return c.Conn.Write(b)
	case <-c.closed:
		return 0, net.ErrClosed
	case <-late:
		return 0, os.ErrDeadlineExceeded
	}
}

// SetDeadline implements [net.Conn].
func (c *pipe) SetDeadline(t time.Time) error {
	c.late.Store(&t)
	return c.Conn.SetDeadline(t)
}

// SetWriteDeadline implements [net.Conn].
func (c *pipe) SetWriteDeadline(t time.Time) error {
	c.late.Store(&t)
	return c.Conn.SetWriteDeadline(t)
}

// LocalAddr implements [net.Conn].
func (c *pipe) LocalAddr() net.Addr { return pipeAddr(c.machine + ":12345") }

// Close implements [net.Conn].
func (c *pipe) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

var errUnreachable = errors.New("connection refused")

// host returns the host of host:port.
func host(addr string) string {
	h, _, _ := net.SplitHostPort(addr)
	return h
}

// listen opens a listener.
func (n *network) listen(addr string) net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &pipeListener{net: n, addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
	n.listeners[addr] = l
	return l
}

// connector returns what opens connections for a machine.
func (n *network) connector(from string) func(ctx context.Context, addr string) (net.Conn, error) {
	return func(ctx context.Context, addr string) (net.Conn, error) {
		n.mu.Lock()
		l := n.listeners[addr]
		dead := n.down[from] || n.down[host(addr)]
		n.mu.Unlock()
		if l == nil || dead {
			return nil, errUnreachable
		}
		one, other := net.Pipe()
		a := &pipe{Conn: one, of: n, machine: from, closed: make(chan struct{})}
		b := &pipe{Conn: other, of: n, machine: host(addr), closed: make(chan struct{})}
		n.mu.Lock()
		n.open[a], n.open[b] = true, true
		n.mu.Unlock()
		select {
		case l.conns <- b:
			return a, nil
		case <-l.done:
			return nil, errUnreachable
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// cut cuts a machine off from all others, or mends that. Connections of the machine end.
func (n *network) cut(machine string, down bool) {
	n.mu.Lock()
	n.down[machine] = down
	var ending []*pipe
	for c := range n.open {
		if c.machine == machine {
			ending = append(ending, c)
		}
	}
	n.mu.Unlock()
	for _, c := range ending {
		_ = c.Close()
	}
}

// pipeListener accepts pipes.
type pipeListener struct {
	net   *network
	addr  string
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// Accept implements [net.Listener].
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (l *pipeListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.net.mu.Lock()
		defer l.net.mu.Unlock()
		delete(l.net.listeners, l.addr)
	})
	return nil
}

// Addr implements [net.Listener].
func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.addr) }

type pipeAddr string

// Network implements [net.Addr].
func (pipeAddr) Network() string { return "pipe" }

// String implements [net.Addr].
func (a pipeAddr) String() string { return string(a) }
