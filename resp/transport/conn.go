package transport

import (
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/resp"
)

// host is what all connections of a server share. Its plain fields do not change after the first Serve.
type host struct {
	barrier   Barrier
	gatherer  Gatherer // the barrier, if it gathers
	pushLimit int
	log       *slog.Logger

	adopting sync.Mutex // held while a connection has two descriptors: only one has

	now     atomic.Int64 // the time that Tick gave
	workers atomic.Int64 // how many run
	traffic traffic
	memory  memory

	adopt  func(*Conn) bool         // gives the connection to an event loop; false: there is none for it
	serve  func(*Conn, resp.Status) // serves the connection on the calling goroutine
	finish func(*Conn, any)         // forgets a closed connection; a reason is the value of a panic
}

// work starts a worker.
func (h *host) work(c *Conn, st resp.Status) {
	h.workers.Add(1)
	go h.serve(c, st)
}

func (h *host) warn(text string, args ...any) {
	if h.log != nil {
		h.log.Warn(text, args...)
	}
}

// failed logs a panic that ended a connection. Call it from the deferred function that recovers.
func (h *host) failed(reason any) {
	h.warn("connection failed", "reason", reason, "stack", string(debug.Stack()))
}

// readSize is the most that one read takes of a client, in bytes. The other clients of the event loop wait
// while this read is handled.
const readSize = resp.BusyBuffer

// eventLoop is the event loop that serves a connection, as the connection sees it.
type eventLoop interface {
	// post asks the loop to handle the connection in its next turn. The connection's mu may be held.
	post(c *Conn)
	// cutOff ends a connection in both directions. The loop notices, and closes it.
	cutOff(fd int)
}

// Conn is a client's connection. Its exported methods may be called from any goroutine.
//
// At any time one goroutine serves the connection, and only this goroutine uses the session. It is either
// an event loop, which never blocks on one client, or a worker, which may. A loop passes a
// connection to a worker when it would have to block, and gets it back later.
type Conn struct {
	// UserData belongs to the code that accepted the connection. Set it in Accept.
	UserData any

	host    *host
	handler resp.Handler
	session *resp.Session
	addresses
	usage
	progress
	ending

	mu sync.Mutex // guards closed, carrier but for wire, outbox but for writing, and pausing; taken after wire
	carrier
	outbox
	pausing
}

// addresses are the two ends of a connection.
type addresses struct {
	remote, local net.Addr
	encrypted     bool // the client speaks TLS
}

// carrier is what carries the bytes of a connection: a worker, or an event loop.
type carrier struct {
	wire sync.Mutex // held while a goroutine writes to nc
	nc   net.Conn   // the connection; nil while an event loop serves it
	loop eventLoop  // nil while a worker serves the connection
	fd   int        // the descriptor, while an event loop serves the connection
}

// ending is how far a connection is closed.
type ending struct {
	stopping  atomic.Bool // run no further batch
	closeOnce sync.Once
	closed    bool
}

func newConn(h *host, nc net.Conn) *Conn {
	_, encrypted := nc.(interface{ NetConn() net.Conn })
	c := &Conn{host: h, addresses: addresses{nc.RemoteAddr(), nc.LocalAddr(), encrypted}}
	c.nc = nc
	c.usage.begin(h)
	return c
}

// RemoteAddr returns the client's address.
func (a *addresses) RemoteAddr() net.Addr { return a.remote }

// LocalAddr returns the address that the client connected to.
func (a *addresses) LocalAddr() net.Addr { return a.local }

// Encrypted reports whether the client speaks TLS.
func (a *addresses) Encrypted() bool { return a.encrypted }

// Close closes the connection at once. Bytes that wait to be sent are lost. Further calls do nothing.
func (c *Conn) Close() {
	c.closeOnce.Do(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = true
		c.setQueue(nil)
		if c.loop != nil {
			c.loop.cutOff(c.fd)
			return
		}
		closeNow(c.nc)
	})
}

// closeNow closes without the closing message of TLS, which may block until the client reads it.
func closeNow(nc net.Conn) {
	socketOf(nc).Close()
	nc.Close()
}

// socketOf returns the connection under TLS, nc itself if there is no TLS.
func socketOf(nc net.Conn) net.Conn {
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok {
		return t.NetConn()
	}
	return nc
}

// Gone reports whether the client has closed its side of the connection, or the connection is lost. A
// client that an event loop serves is not gone: the loop closes its connection at once.
func (c *Conn) Gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed || c.nc != nil && hungUp(c.nc)
}

// past is a deadline that interrupts a Read at once.
var past = time.Unix(1, 0)

// CloseAfterReply closes the connection after the batch that runs now, if any. Its replies and all pushed
// messages are sent first.
func (c *Conn) CloseAfterReply() {
	c.stopping.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loop != nil {
		c.loop.post(c)
		return
	}
	c.interrupt()
}

// notifyClosed tells the handler that the connection is closed, once. If the session closes by itself,
// notifyClosed comes before the last replies: a client that has read them finds itself removed.
func (c *Conn) notifyClosed() {
	if !c.notified {
		c.notified = true
		c.handler.Closed()
	}
}

// progress is what the goroutine that serves a connection knows of its last batch. No other goroutine uses
// it.
type progress struct {
	mark     uint64 // of the Barrier, when the batch began
	need     uint64 // the position of the Barrier that the output waits for; 0: it waits for nothing
	notified bool   // the handler was told that the connection is closed
	counted  int64  // bytes of the session's output that writing has

	inTurn
}

// inTurn is the state of a connection in the turns of its event loop.
type inTurn struct {
	status   resp.Status // how the last batch ended
	due      bool        // replies leave at the end of this turn
	told     bool        // due because of messages alone: it may still have its batch
	held     bool        // it waits for the Barrier now: no batch runs
	lost     bool        // the Barrier has lost a change: the connection is to close
	unread   bool        // input came while it was held
	peerDone bool        // the client sends nothing more
	long     bool        // the last batch took longBatch or more

	unfinished int // memory of the command that is not complete, in bytes
}
