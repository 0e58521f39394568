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
	gate       // the server's Barrier
	writeLimit func(*Conn) int64
	pushLimit  int64
	log        *slog.Logger

	adopting sync.Mutex // held while a connection has two descriptors: only one has

	now     atomic.Int64 // the time that Tick gave
	traffic traffic

	adopt  func(*Conn) bool         // gives the connection to an event loop; false: there is none for it
	serve  func(*Conn, resp.Status) // serves the connection on the calling goroutine
	finish func(*Conn, any)         // forgets a closed connection; a reason is the value of a panic
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

// readSize is the most that one read takes of a client, in bytes. All other clients wait as long.
const readSize = resp.BusyBuffer

// eventLoop is the event loop that serves a connection, as the connection sees it.
type eventLoop interface {
	// post asks the loop to look at the connection. The connection's mu may be held.
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

	host          *host
	handler       resp.Handler
	session       *resp.Session
	remote, local net.Addr

	mark     uint64 // of the Barrier, when the last batch began
	notified bool   // the handler was told that the connection is closed

	inTurn

	stopping atomic.Bool // run no further batch
	memory   atomic.Int64
	active   atomic.Int64 // time (Tick) of the last bytes
	meter    *meter

	closeOnce sync.Once
	done      chan struct{} // closed by Close

	wire sync.Mutex // held while a goroutine writes to nc

	mu      sync.Mutex // guards the fields below; taken after wire
	nc      net.Conn   // the connection; nil while an event loop serves it
	loop    eventLoop  // nil while a worker serves the connection
	fd      int        // the descriptor, while an event loop serves the connection
	busy    bool       // a batch runs: pushed bytes wait until it ends
	pushing bool       // a loop or a goroutine will send the queue
	closed  bool
	queue   []byte // pushed bytes that nobody sends yet
	pausing

	writing atomic.Int64 // bytes that are being sent
}

func newConn(h *host, nc net.Conn) *Conn {
	c := &Conn{host: h, nc: nc, remote: nc.RemoteAddr(), local: nc.LocalAddr(), done: make(chan struct{}), meter: h.traffic.meter()}
	c.active.Store(h.now.Load())
	return c
}

// RemoteAddr returns the client's address.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// LocalAddr returns the address that the client connected to.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// Memory returns the size of the session's buffers, in bytes, after its last batch.
func (c *Conn) Memory() int { return int(c.memory.Load()) }

// Active returns the time of the last bytes in either direction, as [Server.Tick] gave it.
func (c *Conn) Active() int64 { return c.active.Load() }

// Close closes the connection at once. Bytes that wait to be sent are lost. Further calls do nothing.
func (c *Conn) Close() {
	c.closeOnce.Do(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = true
		c.queue = nil
		close(c.done)
		if c.loop != nil {
			c.loop.cutOff(c.fd)
			return
		}
		closeNow(c.nc)
	})
}

// closeNow closes without the closing message of TLS, which may block until the client reads it.
func closeNow(nc net.Conn) {
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok {
		t.NetConn().Close()
	}
	nc.Close()
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

// received counts a read of n bytes.
func (c *Conn) received(n int) {
	c.meter.reads.Add(1)
	c.meter.input.Add(int64(n))
	c.touch()
}

// sent counts a write of n bytes.
func (c *Conn) sent(n int) {
	if n > 0 {
		c.meter.writes.Add(1)
		c.meter.output.Add(int64(n))
		c.touch()
	}
}

// touch records that the client is active. It seldom writes, because Tick is coarse.
func (c *Conn) touch() {
	if now := c.host.now.Load(); c.active.Load() != now {
		c.active.Store(now)
	}
}

// setMemory records the size of the session's buffers.
func (c *Conn) setMemory(bytes int) {
	if c.memory.Load() != int64(bytes) {
		c.memory.Store(int64(bytes))
	}
}
