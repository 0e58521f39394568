package resp

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// echoServer is a server of echo handlers; hold, when set, is run by the command HOLD.
type echoServer struct {
	Server
	addr  string
	mu    sync.Mutex
	conns []*Conn
	hold  func(c *Conn)
}

type heldEcho struct {
	echo
	c *Conn
	s *echoServer
}

func (h *heldEcho) Handle(args [][]byte, w *Writer) Status {
	if string(args[0]) == "HOLD" {
		h.s.hold(h.c)
	}
	return h.echo.Handle(args, w)
}

func (h *heldEcho) Closed() { h.c.UserData.(chan struct{}) <- struct{}{} }

// startEcho serves on ln, or on a port of the system's choice, until the test ends.
func startEcho(t *testing.T, s *echoServer, ln net.Listener) {
	if ln == nil {
		var err error
		ln, err = net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
	}
	s.addr = ln.Addr().String()
	if s.Accept == nil {
		s.Accept = func(c *Conn) (Handler, string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			c.UserData = make(chan struct{}, 2)
			s.conns = append(s.conns, c)
			return &heldEcho{c: c, s: s}, ""
		}
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

// conn is the i-th connection that was accepted.
func (s *echoServer) conn(i int) *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns[i]
}

func TestServerAnswers(t *testing.T) {
	s := &echoServer{}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	require.Equal(t, []any{"GET", "k"}, c.Do("GET", "k"))
	c.Write([]byte(strings.Repeat(wire("a", "b"), 1000)))
	for range 1000 {
		require.Equal(t, []any{"a", "b"}, c.Recv())
	}
	big := strings.Repeat("x", 3<<20)
	require.Equal(t, []any{"SET", big}, c.Do("SET", big))
	c.Write([]byte(wire("CLOSE") + wire("never")))
	require.Equal(t, "+OK\r\n", string(c.ReadAll()))
}

func TestServerOnUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	require.NoError(t, err)
	s := &echoServer{}
	startEcho(t, s, ln)
	require.Equal(t, []any{"x"}, resptest.Dial(t, path).Do("x"))
}

func TestServerOverTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"test"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	require.NoError(t, err)
	s := &echoServer{}
	startEcho(t, s, ln)

	nc, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	c := resptest.New(t, nc)
	require.Equal(t, []any{"x"}, c.Do("x"))
	s.conn(0).Push([]byte("+pushed\r\n"))
	require.Equal(t, resptest.Simple("pushed"), c.Recv())
	s.conn(0).CloseAfterReply()
	require.Empty(t, c.ReadAll())
}

func TestServerRefuses(t *testing.T) {
	s := &echoServer{}
	s.Accept = func(c *Conn) (Handler, string) { return nil, "ERR max number of clients reached" }
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("HELLO", "3")))
	require.Equal(t, "-ERR max number of clients reached\r\n", string(c.ReadAll()))
}

func TestServerSurvivesPanics(t *testing.T) {
	s := &echoServer{}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("a") + wire("PANIC") + wire("b")))
	require.Equal(t, echoed("a"), string(c.ReadAll()))
	require.Equal(t, []any{"x"}, resptest.Dial(t, s.addr).Do("x"))
}

func TestPushToAnIdleClient(t *testing.T) {
	s := &echoServer{}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Do("x")
	for i := range 100 {
		s.conn(0).Push([]byte("+pushed\r\n"))
		require.Equal(t, resptest.Simple("pushed"), c.Recv(), i)
	}
}

// What is pushed while a batch runs must not split its replies, nor come before them.
func TestPushWaitsForTheBatch(t *testing.T) {
	s := &echoServer{}
	s.hold = func(c *Conn) {
		c.Push([]byte("+one\r\n"))
		c.Push([]byte("+two\r\n"))
	}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("a") + wire("HOLD") + wire("b")))
	for _, want := range []any{[]any{"a"}, []any{"HOLD"}, []any{"b"}, resptest.Simple("one"), resptest.Simple("two")} {
		require.Equal(t, want, c.Recv())
	}
}

// Pushes from many goroutines against a client that pipelines: every message arrives whole, those
// of one pusher in order, and replies keep their order.
func TestPushesAndRepliesInterleave(t *testing.T) {
	const pushers, messages, commands = 4, 300, 300
	s := &echoServer{}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Do("x")
	for p := range pushers {
		go func() {
			for i := range messages {
				var w Writer
				w.Proto = 3
				w.Push(2)
				w.Int(int64(p))
				w.Int(int64(i))
				s.conn(0).Push(w.Bytes())
			}
		}()
	}
	go func() {
		for range commands / 3 {
			c.NetConn().Write([]byte(wire("1") + wire("2") + wire("3")))
		}
	}()
	next := make([]int64, pushers)
	for pushed, replied := 0, 0; pushed < pushers*messages || replied < commands; {
		switch v := c.Recv().(type) {
		case resptest.Push:
			p := v[0].(int64)
			require.Equal(t, next[p], v[1])
			next[p]++
			pushed++
		case []any:
			require.Equal(t, string(rune('1'+replied%3)), v[0])
			replied++
		}
	}
}

// A client that reads nothing must neither hold memory nor hold up who pushes to it.
func TestSlowReaderIsClosed(t *testing.T) {
	const limit = 1 << 20
	s := &echoServer{}
	s.WriteLimit = func(*Conn) int64 { return limit }
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Do("x")
	message := []byte("$1000\r\n" + strings.Repeat("x", 1000) + "\r\n")
	gone := s.conn(0).gone
	for pushed := 0; ; pushed += len(message) {
		require.Less(t, pushed, 64<<20, "the limit must be met")
		s.conn(0).Push(message)
		require.LessOrEqual(t, s.conn(0).Pending(), limit)
		select {
		case <-gone:
			require.Zero(t, len(s.conn(0).queue))
			return
		default:
		}
	}
}

func TestReplyBeyondTheWriteLimit(t *testing.T) {
	s := &echoServer{}
	s.WriteLimit = func(*Conn) int64 { return 1000 }
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Send("BIG", "2000")
	_, err := c.TryRecv()
	require.ErrorIs(t, err, io.EOF)
}

func TestCloseUnblocks(t *testing.T) {
	s := &echoServer{}
	startEcho(t, s, nil)
	idle, retrying := resptest.Dial(t, s.addr), resptest.Dial(t, s.addr)
	idle.Do("x")
	s.conn(0).Close()
	s.conn(0).Close()
	require.Empty(t, idle.ReadAll())

	retrying.Do("x")
	s.conn(1).Push([]byte("+x\r\n"))
	require.Equal(t, resptest.Simple("x"), retrying.Recv())
	s.conn(1).Close()
	s.conn(1).Push([]byte("+x\r\n"))
	require.Empty(t, retrying.ReadAll())
	require.Zero(t, s.conn(1).Pending())
}

// retryEcho answers Retry until it is let go.
type retryEcho struct {
	echo
	tries, closed chan struct{}
	letGo         atomic.Bool
}

func (h *retryEcho) Handle(args [][]byte, w *Writer) Status {
	if string(args[0]) == "PAUSED" && !h.letGo.Load() {
		select {
		case h.tries <- struct{}{}:
		default:
		}
		return Retry
	}
	return h.echo.Handle(args, w)
}

func (h *retryEcho) Closed() { close(h.closed) }

func startRetry(t *testing.T) (*echoServer, *retryEcho, *resptest.Client, *Conn) {
	h := &retryEcho{tries: make(chan struct{}), closed: make(chan struct{})}
	s := &echoServer{}
	var conn *Conn
	s.Accept = func(c *Conn) (Handler, string) {
		conn = c
		return h, ""
	}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("a") + wire("PAUSED") + wire("b")))
	require.Equal(t, []any{"a"}, c.Recv(), "replies before a paused command leave")
	<-h.tries
	return s, h, c, conn
}

func TestRetryGoesOn(t *testing.T) {
	_, h, c, conn := startRetry(t)
	conn.Push([]byte("+pushed\r\n"))
	require.Equal(t, resptest.Simple("pushed"), c.Recv(), "a paused client still gets messages")
	<-h.tries
	h.letGo.Store(true)
	require.Equal(t, []any{"PAUSED"}, c.Recv())
	require.Equal(t, []any{"b"}, c.Recv())
}

func TestRetryEndsWithTheConnection(t *testing.T) {
	_, h, c, conn := startRetry(t)
	conn.Close()
	<-h.closed
	require.Empty(t, c.ReadAll())
}

func TestRetryEndsWithTheServer(t *testing.T) {
	s, h, c, _ := startRetry(t)
	require.NoError(t, s.Shutdown(context.Background()))
	<-h.closed
	require.Empty(t, c.ReadAll())
}

func TestCloseAfterReply(t *testing.T) {
	s := &echoServer{}
	s.hold = func(c *Conn) {
		c.Push([]byte("+bye\r\n"))
		c.CloseAfterReply()
	}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("HOLD")))
	require.Equal(t, echoed("HOLD")+"+bye\r\n", string(c.ReadAll()))
}

func TestShutdownDrains(t *testing.T) {
	s := &echoServer{}
	held, release := make(chan struct{}), make(chan struct{})
	s.hold = func(*Conn) {
		close(held)
		<-release
	}
	startEcho(t, s, nil)
	idle, busy := resptest.Dial(t, s.addr), resptest.Dial(t, s.addr)
	idle.Do("x")
	busy.Write([]byte(wire("HOLD") + wire("y")))
	<-held
	done := make(chan error)
	go func() { done <- s.Shutdown(context.Background()) }()
	require.Empty(t, idle.ReadAll())
	_, err := net.Dial("tcp", s.addr)
	require.Error(t, err)
	close(release)
	require.Equal(t, echoed("HOLD")+echoed("y"), string(busy.ReadAll()))
	require.NoError(t, <-done)
}

func TestShutdownLosesPatience(t *testing.T) {
	s := &echoServer{}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	// The client reads nothing of this, so that its replies never leave.
	go c.NetConn().Write([]byte(strings.Repeat(wire("BIG", "1000000"), 100)))
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns) == 1 && s.conns[0].Pending() > 0
	}, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
}

func TestSilentClientIsClosed(t *testing.T) {
	var asked atomic.Int32
	s := &echoServer{}
	s.ReadDeadline = func(*Conn) time.Time {
		// The first deadlines move on when they pass, as those of a client that was active do.
		return past.Add(time.Duration(min(asked.Add(1), 5)) * time.Second)
	}
	startEcho(t, s, nil)
	require.Empty(t, resptest.Dial(t, s.addr).ReadAll())
	require.GreaterOrEqual(t, asked.Load(), int32(5))
}

// A client that falls silent after a burst gives its big buffers back.
func TestIdleBuffersShrink(t *testing.T) {
	s := &echoServer{}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Do("x", strings.Repeat("x", 200_000))
	for range 2 {
		c.Do("BIG", "50000")
	}
	conn := s.conn(0)
	require.Greater(t, conn.Memory(), 3*smallBuffer)
	require.Eventually(t, func() bool { return conn.Memory() <= 3*smallBuffer }, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, []any{"x"}, c.Do("x"))
}

// failing is a listener whose accepts fail at first, as if descriptors had run out.
type failing struct {
	net.Listener
	failures atomic.Int32
}

func (l *failing) Accept() (net.Conn, error) {
	if l.failures.Add(-1) >= 0 {
		return nil, errors.New("too many open files")
	}
	return l.Listener.Accept()
}

func TestServeBacksOff(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	slow := &failing{Listener: ln}
	slow.failures.Store(3)
	var logged bytes.Buffer
	s := &echoServer{}
	s.Log = slog.New(slog.NewTextHandler(&logged, nil))
	startEcho(t, s, slow)
	require.Equal(t, []any{"x"}, resptest.Dial(t, s.addr).Do("x"))
	require.Equal(t, 3, strings.Count(logged.String(), "accept failed"))
}

func TestServeReportsAForeignClose(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &Server{}
	served := make(chan error)
	go func() { served <- s.Serve(ln) }()
	ln.Close()
	require.ErrorIs(t, <-served, net.ErrClosed)
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, s.Serve(ln), "after Shutdown nothing is served")
}
