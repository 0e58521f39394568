package server

import (
	"container/list"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/tap"
)

// Bounds on the messages of all clients that are not whole. Who has a message sends it at once. So old
// ones are slow clients or an attack, and the oldest make room.
const (
	sweepEvery  = 100 * time.Millisecond
	arrivalTime = int(bodyTime / sweepEvery)    // sweeps that a message may take
	hurryTime   = int(time.Second / sweepEvery) // the same, while more than manyArrive are not whole
	manyArrive  = 100
	mostArrive  = 10_000
)

// An arrivals has the messages that are not whole.
type arrivals struct {
	mu     sync.Mutex // guards all fields, and those of each arrival; no lock of gRPC is taken inside it
	parts  list.List  // of *arrival, the oldest first
	sweeps int        // so far
	ended  int        // calls, since the last line of the log

	closing context.Context // of all streams
	close   func()
}

// newArrivals makes an arrivals without messages.
func newArrivals() *arrivals {
	a := &arrivals{}
	a.closing, a.close = context.WithCancel(context.Background())
	return a
}

// An arrival is a message that is not whole. It is the context of its call, too.
type arrival struct {
	context.Context
	of     *arrivals
	giveUp func()
	begin  int           // in sweeps
	part   *list.Element // nil after the message is whole, or too late
	idles  bool          // a stream may wait for its next message
	isLate atomic.Bool
}

// arrivalKey finds the arrival in a context.
type arrivalKey struct{}

// Value implements [context.Context].
func (c *arrival) Value(key any) any {
	if _, is := key.(arrivalKey); is {
		return c
	}
	return c.Context.Value(key)
}

// Err implements [context.Context].
func (c *arrival) Err() error {
	err := c.Context.Err()
	if err != nil && c.isLate.Load() {
		return context.DeadlineExceeded
	}
	return err
}

// tap begins each call of gRPC.
func (a *arrivals) tap(ctx context.Context, _ *tap.Info) (context.Context, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &arrival{Context: ctx, of: a, giveUp: cancel}
	c.await(false)
	return c, nil
}

// ofHTTP begins a request of HTTP.
func (a *arrivals) ofHTTP(w http.ResponseWriter, r *http.Request) *arrival {
	past := time.Unix(1, 0)
	c := &arrival{Context: r.Context(), of: a}
	c.giveUp = func() { _ = http.NewResponseController(w).SetReadDeadline(past) }
	c.await(false)
	return c
}

// await begins to wait for a message. The oldest one of too many ends.
func (c *arrival) await(idles bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.idles = idles
	if c.part != nil {
		return
	}
	if c.of.parts.Len() == mostArrive {
		c.of.end(c.of.parts.Front())
	}
	c.begin = c.of.sweeps
	c.part = c.of.parts.PushBack(c)
}

// whole says that the message is there.
func (c *arrival) whole() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.drop(c)
}

// whole says that the message of the call of a context is there.
func whole(ctx context.Context) {
	if c, is := ctx.Value(arrivalKey{}).(*arrival); is {
		c.whole()
	}
}

// drop forgets an arrival.
func (a *arrivals) drop(c *arrival) {
	if c.part != nil {
		a.parts.Remove(c.part)
		c.part = nil
	}
}

// end ends the call of an arrival.
func (a *arrivals) end(part *list.Element) {
	c := part.Value.(*arrival)
	c.isLate.Store(true)
	c.giveUp()
	a.drop(c)
	a.ended++
}

// sweep ends the calls that take too long.
func (a *arrivals) sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweeps++
	for part := a.parts.Front(); part != nil; {
		c, next := part.Value.(*arrival), part.Next()
		age := a.sweeps - c.begin
		switch {
		case c.Err() != nil:
			a.drop(c)
		case age > arrivalTime && !c.idles, age > hurryTime && a.parts.Len() > manyArrive:
			a.end(part)
		}
		part = next
	}
}

// watch sweeps until the context ends. Every ten seconds it logs what it ended.
func (a *arrivals) watch(ctx context.Context, log *slog.Logger) {
	for tick := time.Tick(sweepEvery); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			a.sweep()
			a.log(log)
		}
	}
}

// log says how many calls ended, from time to time.
func (a *arrivals) log(log *slog.Logger) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended > 0 && a.sweeps%arrivalTime == 0 {
		log.Warn("calls ended because clients sent only a part of their messages", "calls", a.ended)
		a.ended = 0
	}
}

// streams waits for each message of a stream, which ends with closing at the latest.
func (a *arrivals) streams(
	server any, s grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler,
) error {
	c, _ := s.Context().Value(arrivalKey{}).(*arrival)
	defer context.AfterFunc(a.closing, c.giveUp)()
	return handle(server, arrivingStream{s, c})
}

// An arrivingStream is a stream of messages, each of which is an arrival.
type arrivingStream struct {
	grpc.ServerStream

	arrival *arrival
}

// RecvMsg implements [grpc.ServerStream].
func (s arrivingStream) RecvMsg(message any) error {
	s.arrival.await(true)
	err := s.ServerStream.RecvMsg(message)
	s.arrival.whole()
	return err
}
