package transport

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"cellserver/resp"
)

const (
	// turnSize is the most clients that a turn adds to the queues.
	turnSize = maxEvents
	// replySize is the size of a new buffer for replies, in bytes.
	replySize = 4 << 10
)

// loops are the event loops of a server. They start when the first connection needs one.
type loops struct {
	size      int // how many to start; 0: one for every two processors
	monotonic func() int64
	host      *host
	start     sync.Once
	all       []*loop
	next      atomic.Uint32
}

func newLoops(size int, monotonic func() int64, h *host) *loops {
	if monotonic == nil {
		monotonic = func() int64 { return 0 }
	}
	return &loops{size: size, monotonic: monotonic, host: h}
}

// begin starts the loops, or fewer if the system has no more descriptors. The default is half as many loops
// as processors: the network stack, local clients and background work use the other half. More loops
// would share the same work in smaller turns.
func (ls *loops) begin() {
	processors := runtime.GOMAXPROCS(0)
	n := cmp.Or(ls.size, (processors+1)/2)
	for range n {
		l, err := newLoop(ls.host, n >= processors, ls.monotonic)
		if err != nil {
			ls.host.warn("an event loop cannot start; a goroutine serves each client: raise the limit of open files", "error", err)
			return
		}
		ls.all = append(ls.all, l)
		go l.run()
	}
}

// adopt passes a connection from its worker to a loop. It reports false if the connection has no descriptor
// to read from (TLS), or if there is no loop.
func (ls *loops) adopt(c *Conn) bool {
	raw, ok := c.nc.(syscall.Conn)
	if !ok {
		return false
	}
	ls.start.Do(ls.begin)
	if len(ls.all) == 0 {
		return false
	}
	return ls.all[ls.next.Add(1)%uint32(len(ls.all))].adopt(c, raw)
}

// stop ends the loops. The server has closed all their connections before.
func (ls *loops) stop() {
	ls.start.Do(func() {}) // begin must not run later
	for _, l := range ls.all {
		l.stop()
	}
}

// run takes turns until the server has stopped.
func (l *loop) run() {
	for l.turn() {
	}
	l.close()
}

// turn serves clients that have sent something, in the order of the queues:
//
//  1. collect asks the system which clients these are;
//  2. runBatches reads once from each, and runs its commands;
//  3. sendReplies asks the Barrier whether their changes are safe, once for all clients. It sends each client
//     its replies, with one system call, or holds them.
//
// turn reports false when the server has stopped.
func (l *loop) turn() (more bool) {
	defer func() {
		if reason := recover(); reason != nil {
			more = true
			l.failed(reason)
		}
	}()
	if !l.collect() {
		return false
	}
	l.runBatches()
	l.sendReplies()
	return true
}

// failed closes the connection that caused a panic outside of its session. The other connections of the
// turn are served in the next one.
func (l *loop) failed(reason any) {
	if !l.serves(l.current) { // the panic came while the loop closed it
		l.host.failed(reason)
	}
	l.drop(l.current, reason)
}

// collect queues the clients that have sent something. It blocks if the turn has nothing else to do. It
// reports false when the server has stopped.
func (l *loop) collect() bool {
	idle := l.beginTurn()+len(l.due) == 0
	gathers := time.Duration(0)
	if l.host.gatherer != nil {
		gathers = l.host.gatherer.Gather()
	}
	events := l.poll.wait(idle, l.yields(), gathers)
	if len(l.due) == 0 { // else a panic has left them from the last turn
		l.mark = l.host.barrier.Mark()
	}
	woken := false
	for _, e := range events {
		if int(e.Fd) == l.poll.waker {
			woken = true
		} else if c := l.conns[e.Fd]; c != nil {
			c.peerDone = c.peerDone || e.Events&peerClosed != 0
			l.enqueue(c, &l.ready)
		}
	}
	// A message that was pushed before a request leaves before the reply to this request.
	return !woken || l.readInbox()
}

// yields reports whether goroutines that a turn has woken may wait for the processor of this loop. Such
// goroutines answer for the Barrier, or are workers. If a long script or a rewrite keeps the other processors
// busy, they would get this one after up to 20 ms. Without them, to yield would wake a thread for nothing.
func (l *loop) yields() bool { return l.alone || l.held > 0 || l.host.workers.Load() > 0 }

// readInbox handles the posted connections. It reports false when the server has stopped.
func (l *loop) readInbox() bool {
	posted, freed, over := l.takeInbox()
	l.held -= len(freed)
	for _, h := range freed {
		l.answerHeld(h)
	}
	for _, c := range posted {
		l.current = c
		l.receive(c)
	}
	return !over
}

// receive handles a posted connection.
func (l *loop) receive(c *Conn) {
	c.mu.Lock()
	c.pushing = false
	if c.loop != l {
		c.sendQueue() // the loop has released the connection since
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	switch {
	case l.serves(c):
	case c.fd < 0:
		return // closed since
	case !l.add(c):
		l.closeFD(c, nil)
		return
	}
	if c.held {
		return // answerHeld handles it
	}
	if !c.due {
		c.status, c.told = resp.Continue, true
	}
	if c.stopping.Load() {
		c.status, c.told = resp.Close, false
	}
	c.takeMessages(false)
	l.setDue(c)
}

// runBatch reads once from a client that was queued, and runs the commands that have arrived. It does nothing
// if the connection is closed.
func (l *loop) runBatch(fd int) {
	l.queued[fd] = false
	c := l.conns[fd]
	l.current = c
	switch {
	case c == nil:
		return
	case c.due && !c.told:
		l.enqueue(c, &l.again) // one batch a turn, so that the size of the replies is bounded
		return
	case c.held:
		l.putOff(c)
		return
	}
	space := c.session.Lend(l.readBuffer, l.replyBuffer)
	space = space[:min(len(space), readSize)] // the other clients wait as long
	n, err := receive.move(fd, space)
	if n <= 0 {
		c.session.GiveBack()
		switch {
		case err != nil && wouldBlock(err):
		case c.due:
			l.enqueue(c, &l.again) // its messages leave first
		default:
			l.drop(c, nil)
		}
		return
	}
	c.received(n)
	c.told = false
	before := c.session.Buffered()
	c.runBatch(n)
	l.countWork(c, 2*n+before-c.session.Buffered())
	if n == len(space) || c.peerDone {
		l.enqueue(c, &l.again)
	}
	l.setDue(c)
}

// setDue makes sendReplies serve the client in this turn.
func (l *loop) setDue(c *Conn) {
	if !c.due {
		c.due = true
		l.due = append(l.due, c)
	}
}

// sendReplies sends each client its replies, but holds the clients that wait for the Barrier. It closes the
// connections whose changes are lost.
func (l *loop) sendReplies() {
	need := uint64(0) // the highest position
	for _, c := range l.due {
		need = max(need, c.need)
	}
	var held *heldTurn
	if need > 0 {
		held = l.askBarrier(need)
	}
	for _, c := range l.due {
		switch {
		case !c.due: // sent before a panic
		case c.need > 0 && held != nil:
			held.hold(c)
		case c.lost:
			c.due = false
			l.drop(c, nil)
		default:
			l.sendReply(c)
		}
	}
	clear(l.due)
	l.due = l.due[:0]
}

// sendReply sends a client its replies and the messages pushed to it. It passes the connection to a worker
// if the client does not take all of them, or if the session has to wait.
func (l *loop) sendReply(c *Conn) {
	l.current, c.due = c, false
	if c.status == resp.Close {
		c.notifyClosed()
	}
	size, ok := c.endBatch()
	if !ok {
		l.drop(c, nil)
		return
	}
	n := 0
	if size > 0 {
		var err error
		if n, err = send.move(c.fd, c.session.Segment()); err != nil && !wouldBlock(err) {
			l.drop(c, nil)
			return
		}
	}
	if n > 0 {
		c.sent(n)
	}
	if n < size || c.status != resp.Continue {
		c.session.SentSome(n)
		c.writing.Store(int64(size - n))
		l.release(c)
		return
	}
	c.writing.Store(0)
	l.keep(c.session.TakeOutput())
	c.setMemory(c.session.InputCapacity()) // there is no output
}

// replyBuffer returns an empty buffer for replies.
func (l *loop) replyBuffer() []byte {
	if n := len(l.spare); n > 0 {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return b
	}
	return make([]byte, 0, replySize)
}

// keep keeps a buffer for later replies, unless it is large or turnSize buffers are kept.
func (l *loop) keep(buf []byte) {
	if cap(buf) > 0 && cap(buf) <= resp.BusyBuffer && len(l.spare) < turnSize {
		l.spare = append(l.spare, buf)
	}
}
