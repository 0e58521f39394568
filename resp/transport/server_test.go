package transport

import (
	"bytes"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestServerAnswers(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
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
	})
}

// TestReadsAreBounded requires that a read takes at most readSize of a client, however large the buffer of its
// unfinished command is.
func TestReadsAreBounded(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		big := strings.Repeat("x", 16<<20)
		require.Equal(t, []any{big}, c.Do(big))
		got := s.Traffic()
		require.Greater(t, got.Input, int64(len(big)))
		require.LessOrEqual(t, got.Input, got.Reads*readSize)
	})
}

func TestServerOnUnixSocket(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		path := resptest.SocketPath(t)
		ln, err := net.Listen("unix", path)
		require.NoError(t, err)
		startEcho(t, s, ln)
		require.Equal(t, []any{"x"}, resptest.Dial(t, path).Do("x"))
	})
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
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		s.Accept = func(c *Conn) (resp.Handler, string) { return nil, "ERR max number of clients reached" }
		startEcho(t, s, nil)
		// The client writes nothing: the server closes at once, and unread input would reset the connection.
		c := resptest.Dial(t, s.addr)
		require.Equal(t, "-ERR max number of clients reached\r\n", string(c.ReadAll()))
	})
}

func TestServerSurvivesPanics(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("a") + wire("PANIC") + wire("b")))
		require.Equal(t, echoed("a"), string(c.ReadAll()))
		require.Equal(t, []any{"x"}, resptest.Dial(t, s.addr).Do("x"))
	})
}

func TestShutdownDrains(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
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
	})
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		// The client reads nothing of this, so that its replies never leave.
		go c.NetConn().Write([]byte(strings.Repeat(wire("BIG", "1000000"), 100)))
		require.Eventually(t, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.conns) == 1 && s.conns[0].Pending() > 0
		}, time.Minute, time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	})
}

// failing is a listener whose first accepts fail, as if the process had no more descriptors.
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
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		slow := &failing{Listener: ln}
		slow.failures.Store(3)
		var logged bytes.Buffer
		s.Log = slog.New(slog.NewTextHandler(&logged, nil))
		startEcho(t, s, slow)
		require.Equal(t, []any{"x"}, resptest.Dial(t, s.addr).Do("x"))
		require.Equal(t, 3, strings.Count(logged.String(), "accept failed"))
	})
}

func TestServeReportsACloseByOtherCode(t *testing.T) {
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
