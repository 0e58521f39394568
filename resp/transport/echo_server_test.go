package transport

import (
	"cellserver/resp"
	"cellserver/resp/resptest"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echoServer is a server with echo handlers. The command HOLD calls hold. A message that is about to be sent calls taken.
type echoServer struct {
	Server
	addr  string
	mu    sync.Mutex
	conns []*Conn
	hold  func(c *Conn)
	taken func(c *Conn)

	outputLimit int
}

type heldEcho struct {
	echo
	c         *Conn
	s         *echoServer
	offloaded bool // HOLD may run now
}

func (h *heldEcho) Handle(args [][]byte, w *resp.Writer) resp.Status {
	if string(args[0]) == "HOLD" {
		if h.offloaded = !h.offloaded; h.offloaded {
			return resp.Offload
		}
		h.s.hold(h.c)
	}
	return h.echo.Handle(args, w)
}

func (h *heldEcho) MessageNeed() uint64 {
	if h.s.taken != nil {
		h.s.taken(h.c)
	}
	return h.echo.MessageNeed()
}

func (h *heldEcho) Closed() { h.c.UserData.(chan struct{}) <- struct{}{} }

// withLoopAndWorkers runs a test with a server that has an event loop, and with one that has workers only.
func withLoopAndWorkers(t *testing.T, test func(t *testing.T, s *echoServer)) {
	for name, loops := range map[string]int{"loop": 1, "worker": -1} {
		t.Run(name, func(t *testing.T) {
			s := &echoServer{}
			s.Loops = loops
			test(t, s)
		})
	}
}

// startEcho serves on ln, or on a free port, until the test ends.
func startEcho(t *testing.T, s *echoServer, ln net.Listener) {
	if ln == nil {
		var err error
		ln, err = net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
	}
	s.addr = ln.Addr().String()
	if s.Accept == nil {
		s.handleWith(func(h heldEcho) resp.Handler { return &h })
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		require.NoError(t, s.Shutdown(context.Background()))
		require.NoError(t, <-served)
		for _, c := range s.conns {
			<-c.UserData.(chan struct{})
			require.Empty(t, c.UserData, "Closed is called once")
		}
	})
}

// handleWith gives each connection a handler, which is built around an echo.
func (s *echoServer) handleWith(build func(h heldEcho) resp.Handler) {
	s.Accept = func(c *Conn) (resp.Handler, string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		c.UserData = make(chan struct{}, 2)
		s.conns = append(s.conns, c)
		return build(heldEcho{echo: echo{s.outputLimit}, c: c, s: s}), ""
	}
}

// conn returns the i-th connection that was accepted.
func (s *echoServer) conn(i int) *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns[i]
}

// silent requires that a client gets nothing.
func silent(t *testing.T, c *resptest.Client) {
	t.Helper()
	c.NetConn().SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	n, err := c.NetConn().Read(make([]byte, 1))
	require.Zero(t, n)
	require.Error(t, err)
	c.NetConn().SetReadDeadline(time.Time{})
}
