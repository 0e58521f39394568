package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/cluster/roster"

	"github.com/stretchr/testify/require"
)

// A fakeService answers with what its fields say.
type fakeService struct {
	hello     Hello
	err       error
	state     *roster.State
	waitFor   chan struct{} // if it is not nil, Join waits for it or for the context
	onPublish func(channel, text string)

	mu    sync.Mutex
	calls []string
}

func (s *fakeService) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
}

func (s *fakeService) noted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, "\n")
}

func (s *fakeService) Hello(asker Hello) Hello {
	s.note("hello from %s", asker.Run)
	return s.hello
}

func (s *fakeService) Join(ctx context.Context, j Join) (Joined, error) {
	s.note("join %s %v", j.Node.ID, j.Vote)
	if s.waitFor != nil {
		select {
		case <-s.waitFor:
		case <-ctx.Done():
			return Joined{}, ctx.Err()
		}
	}
	return Joined{Voter: j.Vote, Commit: 7}, s.err
}

func (s *fakeService) Forget(_ context.Context, id string) error {
	s.note("forget %s", id)
	return s.err
}

func (s *fakeService) Failover(_ context.Context, id string) error {
	s.note("failover %s", id)
	return s.err
}

func (s *fakeService) Invite(_ context.Context, i Invite) error {
	s.note("invite %s %s", i.Cluster, i.Addresses)
	return s.err
}

func (s *fakeService) State() *roster.State { return s.state }

func (s *fakeService) Publish(shard bool, channel, text []byte) {
	if s.onPublish != nil {
		if shard {
			channel = append([]byte("shard:"), channel...)
		}
		s.onPublish(string(channel), string(text))
	}
}

func (s *fakeService) KeepScript(text []byte) { s.onPublish("script", string(text)) }

// noScripts are no scripts.
func noScripts(after int64) ([][]byte, int64) { return nil, after }

// A network is where the nodes of a test reach each other. The zero value is the loopback interface.
type network struct {
	pipes bool // net.Pipe instead of sockets, for a bubble of synctest

	mu        sync.Mutex
	next      int
	listeners map[string]*pipeListener
}

func (n *network) listen(t *testing.T) net.Listener {
	t.Helper()
	if !n.pipes {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		return ln
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	ln := &pipeListener{net: n, addr: address(fmt.Sprintf("node%d:1", n.next)), conns: make(chan net.Conn), done: make(chan struct{})}
	if n.listeners == nil {
		n.listeners = map[string]*pipeListener{}
	}
	n.listeners[ln.addr.String()] = ln
	return ln
}

func (n *network) connect(ctx context.Context, addr string) (net.Conn, error) {
	if !n.pipes {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr)
	}
	n.mu.Lock()
	ln := n.listeners[addr]
	n.mu.Unlock()
	if ln == nil {
		return nil, errors.New("connection refused")
	}
	a, b := net.Pipe()
	select {
	case ln.conns <- b:
		return a, nil
	case <-ln.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipeListener accepts pipes.
type pipeListener struct {
	net   *network
	addr  address
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.net.mu.Lock()
		defer l.net.mu.Unlock()
		delete(l.net.listeners, l.addr.String())
	})
	return nil
}

func (l *pipeListener) Addr() net.Addr { return l.addr }

// A node is a port that serves.
type node struct {
	*Port
	dialer *Dialer
	addr   string
	log    *bytes.Buffer
}

// dialer makes a dialer with a secret. Sockets have more time than by default, because the machine may be busy.
func (n *network) dialer(limits Limits) *Dialer {
	d := &Dialer{Security: &Security{Secret: secret}, Limits: limits, Connect: n.connect}
	if !n.pipes {
		d.Security.Timeout, d.Limits.Step = time.Minute, time.Minute
	}
	return d
}

// start starts a node. The test ends it.
func (n *network) start(t *testing.T, service Service, dialer *Dialer) *node {
	t.Helper()
	ln := n.listen(t)
	return n.serve(t, service, dialer, ln)
}

func (n *network) serve(t *testing.T, service Service, dialer *Dialer, ln net.Listener) *node {
	t.Helper()
	log := &bytes.Buffer{}
	p, err := NewPort(dialer, service, slog.New(slog.NewTextHandler(&lockedWriter{to: log}, nil)))
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	t.Cleanup(func() {
		p.Close()
		require.NoError(t, <-served)
	})
	return &node{p, dialer, ln.Addr().String(), log}
}

type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// noLeaks requires at the end of the test that no goroutine of it is left.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%d goroutines are left, more than %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
}

// requireSoon waits for a condition that other goroutines make true.
func requireSoon(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}
