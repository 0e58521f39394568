package transport

import (
	"bytes"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCloseUnblocks(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
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
	})
}

// retryEcho returns Retry for PAUSED until letGo is set.
type retryEcho struct {
	echo
	tries, closed chan struct{}
	letGo         atomic.Bool
}

func (h *retryEcho) Handle(args [][]byte, w *resp.Writer) resp.Status {
	if string(args[0]) == "PAUSED" && !h.letGo.Load() {
		select {
		case h.tries <- struct{}{}:
		default:
		}
		return resp.Retry
	}
	return h.echo.Handle(args, w)
}

// RetryAfter is soon: a test counts tries.
func (h *retryEcho) RetryAfter() int64 { return 1e6 }

func (h *retryEcho) Closed() { close(h.closed) }

func startRetry(t *testing.T, s *echoServer) (*retryEcho, *resptest.Client, *Conn) {
	h := &retryEcho{tries: make(chan struct{}), closed: make(chan struct{})}
	var conn *Conn
	s.Accept = func(c *Conn) (resp.Handler, string) {
		conn = c
		return h, ""
	}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("a") + wire("PAUSED") + wire("b")))
	require.Equal(t, []any{"a"}, c.Recv(), "replies before a paused command leave")
	<-h.tries
	return h, c, conn
}

func TestRetryRunsTheCommandLater(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, conn := startRetry(t, s)
		conn.Push([]byte("+pushed\r\n"))
		require.Equal(t, resptest.Simple("pushed"), c.Recv(), "a paused client still gets messages")
		<-h.tries
		h.letGo.Store(true)
		require.Equal(t, []any{"PAUSED"}, c.Recv())
		require.Equal(t, []any{"b"}, c.Recv())
	})
}

func TestRetryEndsWithTheConnection(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, conn := startRetry(t, s)
		conn.Close()
		<-h.closed
		require.Empty(t, c.ReadAll())
	})
}

func TestRetryEndsWhenTheClientLeaves(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, _ := startRetry(t, s)
		c.Close()
		<-h.closed
	})
}

func TestRetryKeepsReading(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, _ := startRetry(t, s)
		c.Write([]byte(wire("c")))
		c.Write(bytes.Repeat([]byte(wire("d")), 2*resp.BusyBuffer/len(wire("d"))))
		<-h.tries
		<-h.tries
		h.letGo.Store(true)
		for _, want := range []string{"PAUSED", "b", "c", "d"} {
			require.Equal(t, []any{want}, c.Recv())
		}
	})
}

func TestRetryEndsWithTheServer(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, _ := startRetry(t, s)
		require.NoError(t, s.Shutdown(context.Background()))
		<-h.closed
		require.Empty(t, c.ReadAll())
	})
}

func TestCloseAfterReply(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		s.hold = func(c *Conn) {
			c.Push([]byte("+bye\r\n"))
			c.CloseAfterReply()
		}
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("HOLD")))
		require.Equal(t, echoed("HOLD")+"+bye\r\n", string(c.ReadAll()))
	})
}

// A session frees its big buffers when its client is silent after a burst.
func TestIdleBuffersShrink(t *testing.T) {
	s := &echoServer{}
	s.Loops = -1 // a loop lends its own buffers
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Do("x", strings.Repeat("x", 200_000))
	conn := s.conn(0)
	for begun := time.Now(); conn.Memory() <= 3*resp.IdleBuffer; { // a busy machine may look like a silent client
		require.Less(t, time.Since(begun), time.Minute)
		c.Do("BIG", "50000")
	}
	require.Eventually(t, func() bool { return conn.Memory() <= 3*resp.IdleBuffer }, time.Minute, 10*time.Millisecond)
	require.Equal(t, []any{"x"}, c.Do("x"))
}

// waitEcho returns Retry for PAUSED until letGo is set. No time ends the wait.
type waitEcho struct{ *retryEcho }

func (waitEcho) RetryAfter() int64 { return resp.NoTime }

func startWait(t *testing.T, s *echoServer) (*retryEcho, *resptest.Client, *Conn) {
	h := &retryEcho{tries: make(chan struct{}, 100), closed: make(chan struct{})}
	var conn *Conn
	s.Accept = func(c *Conn) (resp.Handler, string) {
		conn = c
		return waitEcho{h}, ""
	}
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("PAUSED")))
	<-h.tries
	return h, c, conn
}

func TestWake(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, conn := startWait(t, s)
		silent(t, c)
		require.Empty(t, h.tries, "a command that waits is not polled")
		conn.Wake()
		<-h.tries
		silent(t, c)
		require.Empty(t, h.tries)
		h.letGo.Store(true)
		conn.Wake()
		require.Equal(t, []any{"PAUSED"}, c.Recv())
		conn.Wake() // nobody waits
		require.Equal(t, []any{"x"}, c.Do("x"))
	})
}

// A Wake between the try of a command and the beginning of its wait is not lost.
func TestWakeAtTheBeginningOfAWait(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, conn := startWait(t, s)
		for range 200 {
			h.letGo.Store(true)
			conn.Wake()
			require.Equal(t, []any{"PAUSED"}, c.Recv())
			h.letGo.Store(false)
			for len(h.tries) > 0 {
				<-h.tries
			}
			c.Write([]byte(wire("PAUSED")))
			<-h.tries
		}
	})
}

// Messages keep their place beside the reply of a command that waits: before it or after it, as they are beside Wake.
func TestMessagesBesideWake(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, conn := startWait(t, s)
		for range 300 {
			conn.Push([]byte("+before\r\n"))
			h.letGo.Store(true)
			conn.Wake()
			conn.Push([]byte("+after\r\n"))
			for _, want := range []any{resptest.Simple("before"), []any{"PAUSED"}, resptest.Simple("after")} {
				require.Equal(t, want, c.Recv())
			}
			h.letGo.Store(false)
			c.Write([]byte(wire("PAUSED")))
			<-h.tries
		}
	})
}

// wakingEcho wakes its connection, and pushes a message, in the moment before the wait of a command begins.
type wakingEcho struct {
	*retryEcho
	conn    *Conn
	sending bool // the message was to be sent at once
}

func (h *wakingEcho) RetryAfter() int64 {
	h.letGo.Store(true)
	h.conn.Wake()
	h.conn.Push([]byte("+after\r\n"))
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	h.sending = h.conn.pushing
	return resp.NoTime
}

// A message after Wake follows the reply, also if the wait has not begun yet.
func TestAMessageBehindAnEarlyWake(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h := &wakingEcho{retryEcho: &retryEcho{tries: make(chan struct{}, 9), closed: make(chan struct{})}}
		s.Accept = func(c *Conn) (resp.Handler, string) {
			h.conn = c
			return h, ""
		}
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("PAUSED")))
		require.Equal(t, []any{"PAUSED"}, c.Recv())
		require.Equal(t, resptest.Simple("after"), c.Recv())
		require.False(t, h.sending, "the message left before the reply was made")
	})
}

func TestAWaitingClientThatSendsMuch(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		h, c, conn := startWait(t, s)
		c.Write(bytes.Repeat([]byte(wire("d")), 2*resp.BusyBuffer/len(wire("d"))))
		silent(t, c)
		h.letGo.Store(true)
		conn.Wake()
		require.Equal(t, []any{"PAUSED"}, c.Recv())
		require.Equal(t, []any{"d"}, c.Recv())
	})
}

func TestAWaitingClientIsClosed(t *testing.T) {
	for name, end := range map[string]func(s *echoServer, c *resptest.Client, conn *Conn){
		"close":       func(_ *echoServer, _ *resptest.Client, conn *Conn) { conn.Close() },
		"after reply": func(_ *echoServer, _ *resptest.Client, conn *Conn) { conn.CloseAfterReply() },
		"shutdown":    func(s *echoServer, _ *resptest.Client, _ *Conn) { s.Shutdown(context.Background()) },
		"client":      func(_ *echoServer, c *resptest.Client, _ *Conn) { c.Close() },
	} {
		for _, much := range []bool{false, true} {
			if much && name == "client" && runtime.GOOS != "linux" {
				continue // these systems tell the end of the stream only to a reader
			}
			t.Run(name, func(t *testing.T) {
				withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
					h, c, conn := startWait(t, s)
					if much { // the kernel holds no bytes that would delay the end of the stream
						c.Write(bytes.Repeat([]byte(wire("d")), (resp.BusyBuffer+4096)/len(wire("d"))))
						time.Sleep(5 * time.Millisecond) // the worker has read enough
					}
					end(s, c, conn)
					<-h.closed
				})
			})
		}
	}
}
