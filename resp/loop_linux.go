package resp

import (
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// loop carries many connections in one goroutine: it reads what has come, runs it, and sends the
// replies, each by one system call for a client's batch. It never waits for a client. A connection
// for which something is to be waited for, be it room for its replies or the moment at which its
// command is tried again, gets a goroutine (carry.go) until that is over.
//
// A turn has three steps: the sessions of all clients that sent something run; what they did is made
// safe, once for all of them; the replies leave.
type loop struct {
	server *Server
	poll   poller
	conns  []*Conn  // by descriptor
	turn   []*Conn  // whose replies leave at the end of this turn
	todo   []int    // descriptors to be served in this turn
	more   []int    // those whose last read left something, or may have: served again in the next
	mark   uint64   // of the server's barrier, as the turn began
	at     *Conn    // the one being looked at, to blame for a panic
	in     []byte   // lent to one session after the other, to read into
	spare  [][]byte // lent to sessions until their replies have left

	mu    sync.Mutex // guards inbox and over
	inbox []*Conn    // posted
	over  bool
}

const (
	// turnSize is how many clients a turn serves at most: the first waits for the last.
	turnSize = 128
	// replyBuffer is the size of a new buffer for replies.
	replyBuffer = 4 << 10
)

// loops are the loops of a server.
type loops struct {
	start sync.Once
	all   []*loop
	next  atomic.Uint32
}

// begin starts as many loops as there shall be, or as the system has descriptors for. If nobody says
// how many, they are half as many as processors: the system's part of the network, clients on the same
// machine and what runs in the background want the others, and more loops than are busy make smaller
// turns of the same work.
func (ls *loops) begin(s *Server) {
	n := s.Loops
	if n == 0 {
		n = (runtime.GOMAXPROCS(0) + 1) / 2
	}
	for range n {
		l := &loop{server: s, in: make([]byte, BusyBuffer)}
		if err := l.poll.open(); err != nil {
			s.warn("an event loop cannot start; clients get goroutines", "error", err)
			return
		}
		ls.all = append(ls.all, l)
		go l.run()
	}
}

// stop ends the loops, which carry nothing any more.
func (ls *loops) stop() {
	ls.start.Do(func() {}) // none begins after this
	for _, l := range ls.all {
		l.mu.Lock()
		l.over = true
		l.mu.Unlock()
		l.poll.wake()
	}
}

// adopt lets a loop carry the connection from now on. It reports false, and nothing has changed,
// when that cannot be: its bytes are not those of a descriptor (TLS), or there is no loop.
func (s *Server) adopt(c *Conn) bool {
	raw, ok := c.nc.(syscall.Conn)
	if !ok {
		return false
	}
	s.loops.start.Do(func() { s.loops.begin(s) })
	if len(s.loops.all) == 0 {
		return false
	}
	fd, err := duplicate(raw)
	if err != nil {
		return false
	}
	c.wire.Lock() // nobody writes to nc any more
	defer c.wire.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		syscall.Close(fd)
		return false
	}
	c.nc.Close()
	c.nc, c.fd = nil, fd
	c.session.SetMayOffload(true)
	c.loop = s.loops.all[s.loops.next.Add(1)%uint32(len(s.loops.all))]
	c.loop.post(c)
	return true
}

// post asks the loop to look at a connection: it is new, something was pushed to it, or it is to be
// closed. A connection's mu may be held.
func (l *loop) post(c *Conn) {
	l.mu.Lock()
	l.inbox = append(l.inbox, c)
	first := len(l.inbox) == 1
	l.mu.Unlock()
	if first {
		l.poll.wake()
	}
}

// run takes turns until the server has stopped.
func (l *loop) run() {
	for l.once() {
	}
	l.poll.close()
}

// once is one turn. A panic in it, which is none of a session, costs the connection at hand; the
// others have their turn in the next.
func (l *loop) once() (more bool) {
	defer func() {
		if reason := recover(); reason != nil {
			more = true
			if !l.knows(l.at) { // it failed as it went
				l.server.failed(reason)
			}
			l.drop(l.at, reason)
		}
	}()
	l.todo, l.more = append(l.todo, l.more...), l.more[:0]
	ready := l.poll.wait(len(l.todo)+len(l.turn) == 0)
	l.mark = l.server.mark()
	for _, e := range ready {
		if fd := int(e.Fd); fd != l.poll.waker && l.conns[fd] != nil {
			l.conns[fd].ends = l.conns[fd].ends || e.Events&closing != 0
			l.todo = append(l.todo, fd)
		}
	}
	// What was pushed to a client before it sent something reaches it before the reply to that.
	if slices.ContainsFunc(ready, l.poll.woken) && !l.called() {
		return false
	}
	for last := len(l.todo) - 1; last >= 0; last-- {
		c := l.conns[l.todo[last]]
		l.todo = l.todo[:last]
		if c != nil {
			l.serve(c)
		}
	}
	l.answer()
	return true
}

// answer ends a turn.
func (l *loop) answer() {
	if len(l.turn) == 0 {
		return
	}
	safe := l.server.settle(l.mark)
	for _, c := range l.turn {
		switch {
		case !c.due: // it was answered before a panic
		case safe:
			l.reply(c)
		default:
			c.due = false
			l.drop(c, nil)
		}
	}
	clear(l.turn)
	l.turn = l.turn[:0]
}

// serve reads what a client has sent, and runs it.
func (l *loop) serve(c *Conn) {
	if c.due {
		l.more = append(l.more, c.fd) // one batch a turn: its replies are bounded
		return
	}
	l.at = c
	space := c.session.Lend(l.in, l.buffer)
	n, err := readFrom(c.fd, space)
	if n <= 0 {
		c.session.GiveBack()
		if err == nil || !passing(err) {
			l.drop(c, nil)
		}
		return
	}
	if n == len(space) || c.ends {
		l.more = append(l.more, c.fd)
	}
	c.received(n)
	c.setBusy()
	c.ended = c.session.Filled(n)
	c.session.GiveBack()
	l.join(c)
}

// join makes the turn's end the moment at which a client gets its replies.
func (l *loop) join(c *Conn) {
	if !c.due {
		c.due = true
		l.turn = append(l.turn, c)
	}
}

// buffer returns room for replies.
func (l *loop) buffer() []byte {
	if n := len(l.spare); n > 0 {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return b
	}
	return make([]byte, 0, replyBuffer)
}

// reply sends what a client is to get, and leaves it to a goroutine if that, or what is left to do,
// would be waited for.
func (l *loop) reply(c *Conn) {
	l.at, c.due = c, false
	if c.ended == Close {
		c.forget()
	}
	out, ok := c.outgoing()
	if !ok {
		l.drop(c, nil)
		return
	}
	n := 0
	if len(out) > 0 {
		var err error
		if n, err = writeTo(c.fd, out); err != nil && !passing(err) {
			l.drop(c, nil)
			return
		}
		c.sent(n)
	}
	if n < len(out) || c.ended != Continue {
		c.session.SentSome(n)
		c.writing.Store(int64(len(out) - n))
		l.release(c)
		return
	}
	c.writing.Store(0)
	if buf := c.session.TakeOutput(); cap(buf) > 0 && cap(buf) <= BusyBuffer && len(l.spare) < turnSize {
		l.spare = append(l.spare, buf)
	}
	c.holds(c.session.Capacity())
}

// called looks at what was posted; it reports false when the loop is over.
func (l *loop) called() bool {
	l.poll.hush()
	l.mu.Lock()
	posted, over := l.inbox, l.over
	l.inbox = nil
	l.mu.Unlock()
	for _, c := range posted {
		l.at = c
		l.attend(c)
	}
	return !over
}

// attend looks at a connection that was posted.
func (l *loop) attend(c *Conn) {
	c.mu.Lock()
	c.pushing = false
	if c.loop != l {
		c.deliver() // someone else carries it by now
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	switch {
	case l.knows(c):
	case c.fd < 0:
		return // it has gone
	case !l.take(c):
		l.shut(c, nil)
		return
	}
	if !c.due {
		c.ended = Continue
	}
	if c.stopping.Load() {
		c.ended = Close
	}
	l.join(c)
}

// knows reports whether the loop carries a connection that it carried when last asked.
func (l *loop) knows(c *Conn) bool {
	return c != nil && c.fd >= 0 && c.fd < len(l.conns) && l.conns[c.fd] == c
}

// take begins to carry a connection.
func (l *loop) take(c *Conn) bool {
	if l.poll.add(c.fd) != nil {
		return false
	}
	for c.fd >= len(l.conns) {
		l.conns = append(l.conns, nil)
	}
	l.conns[c.fd] = c
	return true
}

// release leaves a connection to a goroutine.
func (l *loop) release(c *Conn) {
	l.poll.remove(c.fd)
	l.conns[c.fd], l.at = nil, nil
	file := os.NewFile(uintptr(c.fd), "")
	nc, err := net.FileConn(file) // of a duplicate
	c.mu.Lock()
	if err != nil || c.closed {
		c.mu.Unlock()
		if err == nil {
			nc.Close()
		}
		l.end(c, file.Close, nil)
		return
	}
	c.loop, c.nc, c.fd, c.busy = nil, nc, -1, true
	c.session.SetMayOffload(false)
	c.mu.Unlock()
	file.Close()
	go c.carry(c.ended)
}

// drop ends a connection that is gone, or has to go.
func (l *loop) drop(c *Conn, reason any) {
	if !l.knows(c) {
		return // it went before
	}
	l.conns[c.fd] = nil
	l.shut(c, reason)
}

// shut closes a connection that the loop does not watch.
func (l *loop) shut(c *Conn, reason any) {
	fd := c.fd
	l.end(c, func() error { return syscall.Close(fd) }, reason)
}

// end closes a connection that the loop has taken out.
func (l *loop) end(c *Conn, shut func() error, reason any) {
	defer l.server.finish(c, reason) // whatever its handler does as it goes
	c.Close()
	c.mu.Lock()
	c.fd = -1
	c.mu.Unlock()
	shut()
	c.forget()
}
