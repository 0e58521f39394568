package router

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// place says where a link goes, and for which requests it is.
type place struct {
	address     string
	proto, lane int
}

// link is a connection to a node. It opens by itself, and never opens again after its end.
type link struct {
	user *User
	at   place
	stop context.CancelCauseFunc
	wake chan struct{} // something is to be written; has room for one
	own  *Own          // of one client; nil if clients share the link

	mu      sync.Mutex // guards the fields below
	out     []byte     // requests that are not written
	waiting []*Request // in the order of their replies
	err     error      // why the link has ended; nil before
	ended   int64      // when
}

// mostWaiting bounds the bytes of requests that wait to be written.
const mostWaiting = 16 << 20

// Errors of requests.
var (
	errBehind = errors.New("too many commands wait for the hub")
	errSilent = errors.New("it was silent for too long")
	errEnded  = errors.New("the connection has ended")
	errClosed = errors.New("the sidecar closes")

	errNoLeader = errors.New("the nodes do not agree who leads")
	errDeposed  = errors.New("another node leads")
)

// start opens the link, which ends with ctx. It is one of a user's links, or that of own.
func (u *User) start(ctx context.Context, at place, own *Own) *link {
	l := &link{user: u, at: at, wake: make(chan struct{}, 1), own: own}
	ctx, l.stop = context.WithCancelCause(ctx)
	u.hub.running.Go(func() { l.run(ctx) })
	return l
}

// send gives a request to the link, unless the link has ended.
func (l *link) send(r *Request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if len(l.out) > 0 && len(l.out)+len(r.Command) > mostWaiting {
		return errBehind
	}
	l.waiting = append(l.waiting, r)
	l.put(r.Command)
	return nil
}

// put gives bytes to the writer; mu is held.
func (l *link) put(p []byte) {
	l.out = append(l.out, p...)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run opens the connection and serves it until its end.
func (l *link) run(ctx context.Context) {
	conn, err := l.user.hub.open(ctx, l.at, l.user.id, l.own.name())
	if err != nil {
		if !errors.As(err, new(Refusal)) && ctx.Err() == nil {
			l.user.hub.away(l.at.address)
		}
		err = Unsent{err}
	} else {
		done := context.AfterFunc(ctx, func() { _ = conn.Close() })
		var reading sync.WaitGroup
		reading.Go(func() {
			err = whyEnded(ctx, l.read(conn))
			l.stop(err)
		})
		l.write(ctx, conn)
		_ = conn.Close()
		reading.Wait()
		done()
	}
	l.end(err)
}

// whyEnded puts our words in the place of an error that says only that a connection is closed.
func whyEnded(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		return errSilent
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return errEnded
	}
	return err
}

// write sends the requests that wait, until ctx ends.
func (l *link) write(ctx context.Context, conn net.Conn) {
	var spare []byte
	for {
		select {
		case <-l.wake:
		case <-ctx.Done():
			return
		}
		l.mu.Lock()
		next := l.out
		l.out = spare[:0]
		l.mu.Unlock()
		if _, err := conn.Write(next); err != nil {
			return
		}
		l.own.written()
		if spare = next; cap(spare) > 64<<10 {
			spare = nil
		}
	}
}

// read passes the replies on, until the connection ends.
func (l *link) read(conn net.Conn) error {
	buf := make([]byte, 16<<10)
	f := frame{pushes: l.own != nil}
	for have := 0; ; {
		n, err := conn.Read(buf[have:])
		have += n
		used, bad := l.replies(&f, buf[:have])
		have = copy(buf, buf[used:have])
		switch {
		case bad != nil:
			return bad
		case err != nil:
			return err
		case have == len(buf): // a long line
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// replies passes on what it knows of the replies, and returns how many bytes that were.
func (l *link) replies(f *frame, p []byte) (used int, err error) {
	for used < len(p) {
		if l.own.streams() {
			l.own.messages.Reply(p[used:], false)
			return len(p), nil
		}
		n, done, err := f.scan(p[used:])
		if err != nil {
			return used, err
		}
		if n == 0 {
			return used, nil
		}
		if f.push {
			l.own.messages.Reply(p[used:used+n], done)
			used += n
			continue
		}
		r := l.first(done)
		if r == nil {
			return used, errFrame
		}
		piece := p[used : used+n]
		used += n
		if done && !r.begun && bytes.HasPrefix(piece, moved) {
			switch follows := l.user.hub.follows(r, piece); {
			case follows && l.own != nil: // its client connects again
				r.Sink.Lost(Unsent{errDeposed})
				return used, errDeposed
			case follows:
				l.user.Send(l.at.lane, l.at.proto, r)
			default:
				r.Sink.Lost(Unsent{errNoLeader})
			}
			continue
		}
		r.begun = true
		l.user.hub.answered()
		r.Sink.Reply(piece, done)
	}
	return used, nil
}

// first returns the request to which the next bytes belong, and forgets it if its reply is complete.
func (l *link) first(done bool) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return nil
	}
	r := l.waiting[0]
	if done {
		l.waiting[0] = nil
		if l.waiting = l.waiting[1:]; len(l.waiting) == 0 {
			l.waiting = nil
		}
	}
	return r
}

// retire ends a link to a node that does not lead, unless somebody waits for a reply. It reports whether the
// link has ended.
func (l *link) retire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && len(l.waiting) == 0 {
		l.err = errDeposed
		l.stop(errDeposed)
	}
	return l.err != nil
}

// end ends the link, and tells everybody who waits.
func (l *link) end(err error) {
	if err == nil {
		err = errClosed
	}
	l.stop(err)
	l.user.failed(err)
	l.mu.Lock()
	l.err, l.ended = err, l.user.hub.o.Clock()
	lost := l.waiting
	l.waiting, l.out = nil, nil
	l.mu.Unlock()
	for _, r := range lost {
		r.Sink.Lost(err)
	}
	if l.own != nil {
		l.own.messages.Lost(err)
	}
}

// moved begins the error of a node that does not lead.
var moved = []byte("-MOVED ")

// follows reports whether the Hub follows a reply MOVED.
func (h *Hub) follows(r *Request, reply []byte) bool {
	words := bytes.Fields(reply)
	if r.moved || len(words) != 3 || !h.Lead(string(words[2])) {
		return false
	}
	r.moved = true
	return true
}
