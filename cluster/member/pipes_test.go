package member

import (
	"context"
	"errors"
	"net"
	"sync"
)

// network is where the machines of a test reach each other: pipes instead of sockets.
type network struct {
	mu        sync.Mutex // guards the fields below
	listeners map[string]*pipeListener
	down      map[string]bool // machines that nobody reaches, and that reach nobody; by host
	open      map[net.Conn]string
}

func newNetwork() *network {
	return &network{listeners: map[string]*pipeListener{}, down: map[string]bool{}, open: map[net.Conn]string{}}
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
		a, b := net.Pipe()
		n.mu.Lock()
		n.open[a], n.open[b] = from, host(addr)
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
	defer n.mu.Unlock()
	n.down[machine] = down
	for c, of := range n.open {
		if of == machine {
			_ = c.Close()
			delete(n.open, c)
		}
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
