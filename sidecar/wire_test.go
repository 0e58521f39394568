package sidecar_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"time"
)

// line is the way between one sidecar and the nodes of the hub, in virtual time. Bytes that meet a cut wait
// until it is mended, as TCP repeats them. A reset loses them with their connections.
type line struct {
	mu    sync.Mutex // guards the fields below
	rand  *rand.Rand
	until time.Time     // bytes wait until then
	bad   time.Time     // it is cut, or too slow, until then
	base  time.Duration // of all bytes
	slow  time.Duration // in addition
	spike time.Duration // in addition, one time of a thousand
	open  map[*end]struct{}
}

func newLine(seed uint64) *line {
	return &line{base: 500 * time.Microsecond, spike: 20 * time.Millisecond, rand: rand.New(rand.NewPCG(seed, 2)), open: map[*end]struct{}{}}
}

var errRefused = errors.New("connection refused")

// dial connects to a server, whose goroutine runs serve.
func (l *line) dial(ctx context.Context, serve func(net.Conn)) (net.Conn, error) {
	select {
	case <-time.After(l.takes()):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	near, far := l.pair()
	go serve(far)
	return near, nil
}

// pair returns both ends of a connection.
func (l *line) pair() (near, far *end) {
	a, b := newStream(), newStream()
	near, far = &end{line: l, in: a, out: b}, &end{line: l, in: b, out: a}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[near] = struct{}{}
	return near, far
}

// takes returns how long the next bytes take.
func (l *line) takes() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.base + l.slow
	if l.rand.IntN(1000) == 0 {
		d += l.spike
	}
	return max(d, time.Until(l.until))
}

// cut holds all bytes back for some time.
func (l *line) cut(d time.Duration) {
	l.mu.Lock()
	l.until = time.Now().Add(d)
	l.bad = l.until
	l.mu.Unlock()
}

// isBad reports whether the line is cut or too slow, or was so lately.
func (l *line) isBad(lately time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.bad) < lately
}

// slowDown makes all bytes take longer for some time. It is too slow if an answer takes longer than
// upstream-timeout.
func (l *line) slowDown(by, d time.Duration) {
	l.mu.Lock()
	if l.slow = by; 2*by > timeout {
		l.bad = time.Now().Add(d)
	}
	l.mu.Unlock()
	time.Sleep(d)
	l.mu.Lock()
	l.slow = 0
	l.mu.Unlock()
}

// reset breaks all connections. What is under way is lost.
func (l *line) reset() {
	l.mu.Lock()
	all := l.open
	l.open = map[*end]struct{}{}
	l.mu.Unlock()
	for e := range all {
		e.in.end(errReset)
		e.out.end(errReset)
	}
}

var errReset = errors.New("connection reset by peer")

// stream is one direction of a connection.
type stream struct {
	mu    sync.Mutex // guards the fields below
	parts []part     // in the order of their arrival
	err   error      // of reads, once all parts are read
	news  chan struct{}
}

type part struct {
	at    time.Time // of the arrival
	bytes []byte
}

func newStream() *stream { return &stream{news: make(chan struct{})} }

// change runs f, and wakes those who wait.
func (s *stream) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.news)
	s.news = make(chan struct{})
}

// end ends the stream. An error other than io.EOF loses what has not arrived.
func (s *stream) end(err error) {
	s.change(func() {
		if s.err == nil {
			s.err = err
		}
		if err != io.EOF {
			s.parts = nil
		}
	})
}

// take reads what has arrived. Without that it returns when to try again, and what wakes the reader before.
func (s *stream) take(p []byte) (n int, next time.Time, news chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parts) == 0 {
		return 0, time.Time{}, s.news, s.err
	}
	if next = s.parts[0].at; next.After(time.Now()) {
		return 0, next, s.news, nil
	}
	n = copy(p, s.parts[0].bytes)
	if s.parts[0].bytes = s.parts[0].bytes[n:]; len(s.parts[0].bytes) == 0 {
		s.parts = s.parts[1:]
	}
	return n, next, nil, nil
}

// end is one end of a connection. It implements [net.Conn].
type end struct {
	line     *line
	in, out  *stream
	mu       sync.Mutex // guards deadline
	deadline time.Time  // of reads
}

func (e *end) Read(p []byte) (int, error) {
	for {
		n, next, news, err := e.in.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		e.mu.Lock()
		deadline := e.deadline
		e.mu.Unlock()
		if !deadline.IsZero() && !deadline.After(time.Now()) {
			return 0, os.ErrDeadlineExceeded
		}
		if next.IsZero() || !deadline.IsZero() && deadline.Before(next) {
			next = deadline
		}
		if next.IsZero() {
			<-news
			continue
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-news:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (e *end) Write(p []byte) (n int, err error) {
	at := time.Now().Add(e.line.takes())
	e.out.change(func() {
		if err = e.out.err; err != nil {
			return
		}
		if last := len(e.out.parts) - 1; last >= 0 && e.out.parts[last].at.After(at) {
			at = e.out.parts[last].at // bytes keep their order
		}
		e.out.parts = append(e.out.parts, part{at, append([]byte(nil), p...)})
		n = len(p)
	})
	if err != nil {
		return 0, net.ErrClosed
	}
	return n, nil
}

func (e *end) Close() error {
	e.out.end(io.EOF)
	e.in.end(net.ErrClosed)
	e.line.mu.Lock()
	delete(e.line.open, e)
	e.line.mu.Unlock()
	return nil
}

func (e *end) SetDeadline(t time.Time) error { return e.SetReadDeadline(t) }

func (e *end) SetReadDeadline(t time.Time) error {
	e.mu.Lock()
	e.deadline = t
	e.mu.Unlock()
	e.in.change(func() {})
	return nil
}

func (e *end) SetWriteDeadline(time.Time) error { return nil }

func (e *end) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1} }
func (e *end) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 6379} }
