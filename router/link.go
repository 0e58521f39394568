package router

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// track says for which requests of a user a link is.
type track struct{ proto, lane int }

// place says where a link goes, and for which requests it is.
type place struct {
	address string
	track
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
	open    bool       // the connection is open
	next    queue      // for the link after this one; something of waiting is before it
	err     error      // why the link has ended; nil before
	ended   int64      // when
}

// queue has the requests that wait until a link has all its replies, because another node leads. So those of
// one lane reach the nodes in their order.
type queue struct {
	moved []*Request // the node has refused them; they are earlier than the others
	later []*Request
	bytes int         // of later
	late  *time.Timer // ends a link whose replies do not come
}

// isEmpty reports whether no request waits.
func (q *queue) isEmpty() bool { return len(q.moved)+len(q.later) == 0 }

// mostWaiting bounds the bytes of requests that wait to be written, or for the next link.
const mostWaiting = 16 << 20

// Errors of requests.
var (
	errBehind = errors.New("too many commands wait for the hub")
	errSilent = errors.New("it was silent for too long")
	errLate   = errors.New("its answers take longer than upstream-timeout: raise that, or use a nearer hub")
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

// send gives a request to the link, unless the link has ended. leads says whether its node still leads.
// Otherwise the request waits for the next link.
func (l *link) send(r *Request, leads bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if q := &l.next; !leads || !q.isEmpty() {
		if q.bytes > 0 && q.bytes+len(r.Command) > mostWaiting {
			return errBehind
		}
		l.hurry()
		q.later, q.bytes = append(q.later, r), q.bytes+len(r.Command)
		return nil
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
		l.mu.Lock()
		l.heard()
		l.mu.Unlock()
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
		r := l.first()
		if r == nil {
			return used, errFrame
		}
		piece := p[used : used+n]
		used += n
		if done && !r.begun && bytes.HasPrefix(piece, moved) {
			if err := l.redirect(r, piece); err != nil {
				return used, err
			}
			continue
		}
		r.begun = true
		l.user.hub.answered()
		if done {
			l.finish(false)
		}
		r.Sink.Reply(piece, done)
	}
	return used, nil
}

// redirect follows the reply MOVED to a request, if the Hub does. An error ends the link.
func (l *link) redirect(r *Request, reply []byte) error {
	trusted := l.trusts(reply)
	follows := trusted && l.user.hub.follows(r, reply)
	l.finish(follows && l.own == nil)
	switch {
	case !trusted:
		r.Sink.Lost(errNoLeader) // the script may have run
	case !follows:
		r.Sink.Lost(Unsent{errNoLeader})
	case l.own != nil: // its client connects again
		r.Sink.Lost(Unsent{errDeposed})
		return errDeposed
	}
	return nil
}

// first returns the request to which the next bytes belong, nil if there is none.
func (l *link) first() *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return nil
	}
	l.heard()
	return l.waiting[0]
}

// finish forgets the first request, because its reply is complete. If another node has to answer it, it waits
// for the next link.
func (l *link) finish(moved bool) {
	l.mu.Lock()
	r := l.waiting[0]
	l.waiting[0] = nil
	if l.waiting = l.waiting[1:]; len(l.waiting) == 0 {
		l.waiting = nil
	}
	if moved {
		l.next.moved = append(l.next.moved, r)
	}
	drained := len(l.waiting) == 0 && !l.next.isEmpty()
	if !drained && moved {
		l.hurry()
	}
	l.mu.Unlock()
	if drained {
		l.user.passOn(l, nil)
	}
}

// hurry bounds the time for which requests wait for the next link; mu is held.
func (l *link) hurry() {
	if l.next.late == nil {
		l.next.late = time.AfterFunc(l.silence(), l.late)
	}
}

// heard notes that the node is not silent; mu is held.
func (l *link) heard() {
	l.open = true
	if l.next.late != nil {
		l.next.late.Reset(l.silence())
	}
}

// silence is how long the node may be silent while requests wait for the next link. A node that was deposed
// answers at once.
func (l *link) silence() time.Duration { return l.user.hub.Patience() / 10 }

// late ends a link that was silent for too long, unless its node leads again. It gives a link time to open.
func (l *link) late() {
	leads := l.user.hub.Leader() == l.at.address
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.next.late == nil: // it has its replies
	case leads, !l.open:
		l.next.late.Reset(l.silence())
	default:
		l.stop(errSilent)
	}
}

// take empties the queue of the requests for the next link.
func (l *link) take() []*Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next.late != nil {
		l.next.late.Stop()
	}
	all := append(l.next.moved, l.next.later...)
	l.next = queue{}
	return all
}

// retire ends a link to a node that does not lead, unless somebody waits for a reply. It reports whether the
// link has ended.
func (l *link) retire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && len(l.waiting) == 0 && l.next.isEmpty() {
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
	for _, r := range l.user.passOn(l, err) {
		r.Sink.Lost(err)
	}
	if l.own != nil {
		l.own.messages.Lost(err)
	}
}

// fail notes why the link has ended, and returns the requests that get no reply.
func (l *link) fail(err error) (lost []*Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err, l.ended = err, l.user.hub.o.Clock()
	lost = l.waiting
	l.waiting, l.out = nil, nil
	return lost
}

// moved begins the error of a node that does not lead.
var moved = []byte("-MOVED ")

// trusts reports whether the address of a reply MOVED is that of a node. A script returns any error, so its
// client could send all connections, and the passwords of all users, to another server. There only the leader
// counts, or an address of the configuration. Otherwise Watch asks who leads.
func (l *link) trusts(reply []byte) bool {
	h := l.user.hub
	if l.own == nil && !runsScripts(l.at.lane) {
		return true
	}
	words := bytes.Fields(reply)
	address := string(words[len(words)-1])
	if address == h.Leader() || slices.Contains(h.o.Addresses, address) {
		return true
	}
	h.unsure.Store(true)
	return false
}

// follows reports whether the Hub follows a reply MOVED.
func (h *Hub) follows(r *Request, reply []byte) bool {
	words := bytes.Fields(reply)
	if r.moved || len(words) != 3 || !h.Lead(string(words[2])) {
		return false
	}
	r.moved = true
	return true
}
