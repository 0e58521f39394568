package resp

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Server feeds sessions from connections, by event loops or a goroutine each. Its fields are set
// before the first Serve and not changed after; only Accept must be set.
type Server struct {
	// Accept makes the handler of a new connection, in the order of their arrival. A text other
	// than "" refuses it: the client reads it as an error reply, and is closed. It must not block.
	Accept func(c *Conn) (Handler, string)
	// Loops is how many event loops carry the connections that need none of their own, where the
	// system has them: 0 is one for every two processors that Go uses, less than 0 none at all.
	Loops int
	// Barrier, if set, holds replies back until what they say is as safe as it shall be. A loop asks
	// it once for all that it sends in a turn.
	Barrier Barrier
	// WriteLimit is how many bytes may wait to be sent to a client before it is closed; 0 is any
	// number (client-output-buffer-limit). It may be called from any goroutine.
	WriteLimit func(c *Conn) (hard int64)
	// PushLimit is how many bytes of messages may wait for a client where WriteLimit sets no bound,
	// as it does not by default: who follows changes and reads nothing must not take all memory.
	// 0 is 256 MiB.
	PushLimit int64
	// Log gets what concerns no client: trouble with accepting.
	Log *slog.Logger

	now     atomic.Int64
	traffic traffic

	mu        sync.Mutex // guards what follows
	loops     loops
	stopping  bool
	stopped   chan struct{} // made by the first Serve or Shutdown, closed by Shutdown
	listeners map[net.Listener]struct{}
	conns     map[*Conn]struct{}
	running   sync.WaitGroup
}

// Barrier holds replies back.
type Barrier interface {
	// Mark is called before commands run; what it returns is for Wait.
	Mark() uint64
	// Wait returns once everything that happened before the call is safe. False means that what was
	// written since the mark must not be told: its connections are closed.
	Wait(mark uint64) bool
}

// Pauses after a failed accept, as when descriptors run out.
const (
	minBackOff = 5 * time.Millisecond
	maxBackOff = time.Second
)

// Serve accepts connections until Shutdown, and then returns nil. It returns an error when the
// listener was closed by someone else. Several listeners can be served at once.
func (s *Server) Serve(ln net.Listener) error {
	if !s.add(ln) {
		ln.Close()
		return nil
	}
	defer s.remove(ln)
	backOff := minBackOff
	for {
		nc, err := ln.Accept()
		if err == nil {
			backOff = minBackOff
			s.start(nc)
			continue
		}
		if s.isStopping() {
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		s.warn("accept failed", "address", ln.Addr().String(), "error", err, "pause", backOff)
		select {
		case <-time.After(backOff):
		case <-s.stopped:
			return nil
		}
		backOff = min(2*backOff, maxBackOff)
	}
}

// Shutdown stops accepting, lets running batches finish and their replies leave, and closes every
// connection. When ctx ends first, the rest is cut off and its error returned.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.init()
	if !s.stopping {
		s.stopping = true
		close(s.stopped)
	}
	for ln := range s.listeners {
		ln.Close()
	}
	for c := range s.conns {
		c.CloseAfterReply()
	}
	s.mu.Unlock()

	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		s.loops.stop()
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	<-done
	s.loops.stop()
	return ctx.Err()
}

// start begins a connection's life.
func (s *Server) start(nc net.Conn) {
	c := newConn(s, nc)
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		nc.Close()
		return
	}
	s.conns[c] = struct{}{}
	s.running.Add(1)
	s.mu.Unlock()

	handler, refusal := s.Accept(c)
	if refusal != "" {
		go c.refuse(refusal)
		return
	}
	c.handler, c.session = handler, NewSession(handler)
	if !s.adopt(c) {
		go c.carry(Continue)
	}
}

// finish forgets a connection that is gone, be it by a panic outside of its session's care.
func (s *Server) finish(c *Conn, reason any) {
	if reason != nil {
		s.failed(reason)
	}
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.running.Done()
}

// failed tells of a panic that ended a connection. It is called where that is recovered.
func (s *Server) failed(reason any) {
	s.warn("connection failed", "reason", reason, "stack", string(debug.Stack()))
}

// mark begins what [Server.settle] ends.
func (s *Server) mark() uint64 {
	if s.Barrier == nil {
		return 0
	}
	return s.Barrier.Mark()
}

// settle waits until what replies say that were made since the mark is safe; it reports false when
// they must not leave.
func (s *Server) settle(mark uint64) bool { return s.Barrier == nil || s.Barrier.Wait(mark) }

// Tick tells the server the time, in whatever unit: [Conn.Active] speaks of it.
func (s *Server) Tick(now int64) { s.now.Store(now) }

// Traffic is what has passed through all connections since the start.
func (s *Server) Traffic() Traffic { return s.traffic.sum() }

// Conns returns the connections, in no order.
func (s *Server) Conns() []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.conns))
}

// init makes what the zero Server lacks; s.mu is held.
func (s *Server) init() {
	if s.stopped == nil {
		s.stopped = make(chan struct{})
		s.listeners = make(map[net.Listener]struct{})
		s.conns = make(map[*Conn]struct{})
	}
}

func (s *Server) add(ln net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	if s.stopping {
		return false
	}
	s.listeners[ln] = struct{}{}
	s.running.Add(1)
	return true
}

func (s *Server) remove(ln net.Listener) {
	s.mu.Lock()
	delete(s.listeners, ln)
	s.mu.Unlock()
	s.running.Done()
}

func (s *Server) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

func (s *Server) warn(text string, args ...any) {
	if s.Log != nil {
		s.Log.Warn(text, args...)
	}
}
