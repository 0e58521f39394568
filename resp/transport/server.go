package transport

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"cellserver/resp"
)

// Server accepts connections and runs a [resp.Session] for each. Set its fields before the first Serve, and
// do not change them afterwards. Only Accept is required.
type Server struct {
	// Accept makes the handler of a new connection, in the order in which connections arrive. A refusal
	// other than "" goes to the client as an error reply, and its connection is closed. Accept must
	// not block.
	Accept func(c *Conn) (h resp.Handler, refusal string)
	// Loops is the number of event loops. 0 means one for every two processors that Go uses; less than 0
	// means no loops. Only Linux has event loops.
	Loops int
	// Barrier, if set, holds replies back until the changes that they report are safe.
	Barrier Barrier
	// PushLimit is how many bytes of messages may wait for a client whose handler has no OutputLimit. It
	// bounds the memory of a client that subscribes and does not read. 0 is 256 MiB.
	PushLimit int
	// Monotonic, if set, tells loops a time in nanoseconds. A loop that works without a break then yields every
	// few milliseconds.
	Monotonic func() int64
	// Log receives errors that concern no client: failed accepts, and panics outside of sessions.
	Log *slog.Logger

	host  host
	loops *loops // set once, with mu held
	serving
}

// serving is what a server serves now.
type serving struct {
	mu        sync.Mutex // guards the fields below
	stopping  bool
	stopped   chan struct{} // closed by Shutdown
	listeners map[net.Listener]struct{}
	conns     map[*Conn]struct{}
	running   sync.WaitGroup // listeners and connections
}

const defaultPushLimit = 256 << 20

// Pauses after a failed accept, for example when the process has no more descriptors.
const (
	minBackOff = 5 * time.Millisecond
	maxBackOff = time.Second
)

// Serve accepts connections until Shutdown, and then returns nil. It returns an error if the listener is
// closed by other code. A server can serve several listeners at the same time.
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
		s.host.warn("accept failed", "address", ln.Addr().String(), "error", err, "pause", backOff)
		select {
		case <-time.After(backOff):
		case <-s.stopped:
			return nil
		}
		backOff = min(2*backOff, maxBackOff)
	}
}

// Shutdown stops accepting, lets running batches finish, sends their replies, and closes every connection.
// If ctx ends first, Shutdown cuts the other connections off. It returns the error of ctx if there were any.
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
	cut := len(s.conns)
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	<-done
	s.loops.stop()
	if cut == 0 {
		return nil
	}
	return ctx.Err()
}

// start begins to serve a connection.
func (s *Server) start(nc net.Conn) {
	c := newConn(&s.host, nc)
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
		refuse(c, refusal)
		return
	}
	c.handler, c.session = handler, resp.NewSession(handler)
	c.session.Writer().OnGrowth(c.outputGrew)
	if !s.loops.adopt(c) {
		s.host.work(c, resp.Continue)
	}
}

// finish forgets a closed connection. A reason is the value of a panic outside of its session.
func (s *Server) finish(c *Conn, reason any) {
	if reason != nil {
		s.host.failed(reason)
	}
	c.setMemory(0)
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.running.Done()
}

// Tick sets the server's time, in any unit. [Conn.Active] returns times that Tick gave.
func (s *Server) Tick(now int64) { s.host.now.Store(now) }

// Traffic returns what has passed through all connections since the start.
func (s *Server) Traffic() Traffic { return s.host.traffic.sum() }

// Memory returns about how many bytes the buffers and the messages of all connections take. A batch counts
// from its end on.
func (s *Server) Memory() int64 { return s.host.memory.total.Load() }

// Open returns the number of open connections. It includes those that are being accepted, refused or closed.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Conns returns the open connections, in no order.
func (s *Server) Conns() []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.conns))
}

// init sets the unexported fields, once; mu is held.
func (s *Server) init() {
	if s.stopped != nil {
		return
	}
	s.stopped = make(chan struct{})
	s.listeners = make(map[net.Listener]struct{})
	s.conns = make(map[*Conn]struct{})
	s.loops = newLoops(s.Loops, s.Monotonic, &s.host)
	h := &s.host
	h.barrier, h.pushLimit, h.log = s.Barrier, s.PushLimit, s.Log
	h.gatherer, _ = s.Barrier.(Gatherer)
	if h.barrier == nil {
		h.barrier = noBarrier{}
	}
	if h.pushLimit <= 0 {
		h.pushLimit = defaultPushLimit
	}
	h.adopt, h.serve, h.finish = s.loops.adopt, serve, s.finish
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
