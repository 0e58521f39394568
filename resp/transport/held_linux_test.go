package transport

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// gateBarrier holds every change until the test decides.
type gateBarrier struct {
	mu      sync.Mutex
	open    bool // changes are safe at once
	waiting []func(safe bool)
	calls   chan struct{} // Later has held a turn
}

func (b *gateBarrier) Mark() uint64 { return 0 }

func (b *gateBarrier) Wait(mark uint64) bool {
	result := make(chan bool, 1)
	if safe, now := b.Later(1, mark, func(safe bool) { result <- safe }); now {
		return safe
	}
	return <-result
}

func (b *gateBarrier) Later(_, _ uint64, done func(safe bool)) (safe, now bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return true, true
	}
	b.waiting = append(b.waiting, done)
	b.calls <- struct{}{}
	return false, false
}

// free answers the oldest turn.
func (b *gateBarrier) free(safe bool) {
	b.mu.Lock()
	done := b.waiting[0]
	b.waiting = b.waiting[1:]
	b.mu.Unlock()
	done(safe)
}

// writer is an echo whose command SET changes data. TELL pushes a message to the first connection.
type writer struct {
	heldEcho
	need     uint64
	messages bool // they wait for changes
}

func (w *writer) Handle(args [][]byte, out *resp.Writer) resp.Status {
	switch string(args[0]) {
	case "SET":
		w.need = 1
	case "TELL":
		w.need = 1
		w.s.conn(0).Push([]byte("+told\r\n"))
	}
	return w.heldEcho.Handle(args, out)
}

func (w *writer) End() (need uint64) {
	need, w.need = w.need, 0
	return need
}

func (w *writer) MessageNeed() uint64 {
	if w.messages {
		return 1
	}
	return 0
}

// startHeld serves on one loop, or on workers, behind a barrier: that of the server, or the one that it returns.
func startHeld(t *testing.T, s *echoServer, messages bool) *gateBarrier {
	b := &gateBarrier{calls: make(chan struct{}, 100)}
	if s.Barrier == nil {
		s.Barrier = b
	}
	s.handleWith(func(h heldEcho) resp.Handler { return &writer{heldEcho: h, messages: messages} })
	startEcho(t, s, nil)
	t.Cleanup(func() { // before the shutdown
		b.mu.Lock()
		b.open = true
		waiting := b.waiting
		b.waiting = nil
		b.mu.Unlock()
		for _, done := range waiting {
			done(true)
		}
	})
	return b
}

func TestOnlyChangesWaitForTheBarrier(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		b := startHeld(t, s, false)
		first, second, other := resptest.Dial(t, s.addr), resptest.Dial(t, s.addr), resptest.Dial(t, s.addr)
		first.Write([]byte(wire("GET") + wire("SET", "a")))
		<-b.calls
		second.Write([]byte(wire("SET", "b")))
		<-b.calls
		for range 100 {
			require.Equal(t, []any{"PING"}, other.Do("PING"))
		}
		silent(t, first)
		b.free(true)
		require.Equal(t, []any{"GET"}, first.Recv())
		require.Equal(t, []any{"SET", "a"}, first.Recv())
		silent(t, second)
		b.free(true)
		require.Equal(t, []any{"SET", "b"}, second.Recv())
	})
}

func TestAHeldConnectionKeepsItsOrder(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		b := startHeld(t, s, false)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("SET", "a")))
		<-b.calls
		c.Write([]byte(wire("PING")))
		s.conn(0).Push([]byte("+pushed\r\n"))
		c.Write([]byte(strings.Repeat(wire("GET"), 3)))
		silent(t, c)
		b.open = true
		b.free(true)
		require.Equal(t, []any{"SET", "a"}, c.Recv())
		var replies, messages int
		for replies < 4 || messages < 1 {
			if c.Recv() == resptest.Simple("pushed") {
				messages++
			} else {
				replies++
			}
		}
	})
}

func TestLostChangesCloseTheirConnections(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		b := startHeld(t, s, false)
		c, other := resptest.Dial(t, s.addr), resptest.Dial(t, s.addr)
		require.Equal(t, []any{"PING"}, other.Do("PING"))
		c.Write([]byte(wire("SET", "a")))
		<-b.calls
		b.free(false)
		require.Empty(t, c.ReadAll())
		require.Equal(t, []any{"PING"}, other.Do("PING"))
	})
}

// A message about a change leaves once the change is safe, and a message about a later change waits for that one.
func TestMessagesWaitForTheBarrier(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	b := startHeld(t, s, true)
	listener, c := resptest.Dial(t, s.addr), resptest.Dial(t, s.addr)
	require.Equal(t, []any{"x"}, listener.Do("x"))
	c.Write([]byte(wire("TELL")))
	<-b.calls // the change of c
	<-b.calls // the message
	silent(t, listener)
	b.free(true)
	require.Equal(t, []any{"TELL"}, c.Recv())
	silent(t, listener)
	c.Write([]byte(wire("TELL")))
	<-b.calls
	b.free(true)
	require.Equal(t, resptest.Simple("told"), listener.Recv())
	silent(t, listener)
	b.free(true)
	<-b.calls
	b.free(true)
	require.Equal(t, resptest.Simple("told"), listener.Recv())
}

// A message that does not wait leaves while others are held. A client that is held gets it behind its replies.
func TestMessagesOfHeldClients(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		b := startHeld(t, s, false)
		listener, c := resptest.Dial(t, s.addr), resptest.Dial(t, s.addr)
		require.Equal(t, []any{"x"}, listener.Do("x"))
		c.Write([]byte(wire("TELL")))
		<-b.calls
		require.Equal(t, resptest.Simple("told"), listener.Recv())
		listener.Write([]byte(wire("SET", "a")))
		<-b.calls
		s.conn(0).Push([]byte("+pushed\r\n"))
		silent(t, listener)
		b.free(true)
		require.Equal(t, []any{"TELL"}, c.Recv())
		silent(t, listener)
		b.free(true)
		require.Equal(t, []any{"SET", "a"}, listener.Recv())
		require.Equal(t, resptest.Simple("pushed"), listener.Recv())
	})
}

// A client whose message reports a lost change is closed, and its requests do not run.
func TestAMessageAboutALostChange(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	b := startHeld(t, s, true)
	listener := resptest.Dial(t, s.addr)
	require.Equal(t, []any{"x"}, listener.Do("x"))
	s.conn(0).Push([]byte("+told\r\n"))
	<-b.calls
	listener.Write([]byte(wire("SET", "a")))
	silent(t, listener)
	b.free(false)
	require.Empty(t, listener.ReadAll())
	require.Empty(t, b.calls)
}

// A request that is not complete runs no batch, so it does not wait as the last batch did.
func TestAnIncompleteRequestNeedsNothing(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		b := startHeld(t, s, false)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("SET", "a")))
		<-b.calls
		b.free(true)
		require.Equal(t, []any{"SET", "a"}, c.Recv())
		request := wire("GET", "b")
		c.Write([]byte(request[:5]))
		silent(t, c)
		require.Empty(t, b.calls)
		c.Write([]byte(request[5:]))
		require.Equal(t, []any{"GET", "b"}, c.Recv())
	})
}

func TestAHeldConnectionIsClosed(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	b := startHeld(t, s, false)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("SET", "a")))
	<-b.calls
	s.conn(0).Close()
	require.Empty(t, c.ReadAll())
	closed := s.conn(0).UserData.(chan struct{})
	require.Eventually(t, func() bool { return len(closed) == 1 }, time.Minute, time.Millisecond)
	other := resptest.Dial(t, s.addr) // with the same descriptor
	require.Equal(t, []any{"x"}, other.Do("x"))
	b.free(true)
	require.Equal(t, []any{"x"}, other.Do("x"))
}

// A client may close its side after its last request, and still gets the replies.
func TestAHeldClientIsHalfClosed(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	b := startHeld(t, s, false)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("SET", "a")))
	<-b.calls
	require.NoError(t, c.NetConn().(interface{ CloseWrite() error }).CloseWrite())
	silent(t, c)
	b.free(true)
	require.Equal(t, echoed("SET", "a"), string(c.ReadAll()))
}

func TestShutdownOfAHeldConnection(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		b := startHeld(t, s, false)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("SET", "a")))
		<-b.calls
		done := make(chan error)
		go func() { done <- s.Shutdown(context.Background()) }()
		silent(t, c)
		b.free(true)
		require.Equal(t, echoed("SET", "a"), string(c.ReadAll()))
		require.NoError(t, <-done)
	})
}

// A shutdown that does not wait drops the replies. The barrier may answer after the end of the loop.
func TestShutdownDropsHeldReplies(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	b := startHeld(t, s, false)
	c := resptest.Dial(t, s.addr)
	c.Write([]byte(wire("SET", "a")))
	<-b.calls
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	require.Empty(t, c.ReadAll())
	b.free(true)
}
