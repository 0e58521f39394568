package resp

import (
	"net"
	"sync"
	"sync/atomic"
)

// Conn is a client's connection. Its methods may be called from any goroutine.
//
// Someone carries it, one at a time, who alone touches the session: a [loop], which never waits for
// any one client, or a goroutine of its own (carry.go), which may. A loop hands a connection over
// whenever something is to be waited for, and gets it back when that is done.
type Conn struct {
	// UserData is for whoever accepted the connection; set it in Accept.
	UserData any

	server        *Server
	handler       Handler
	session       *Session
	remote, local net.Addr

	mark      uint64 // of the server's barrier, as the last batch began
	forgotten bool   // the handler was told that the connection is gone; the carrier's

	ended Status // of a loop: how the session's last batch ended
	due   bool   // of a loop: it is in the turn
	ends  bool   // of a loop: the client sends nothing after what has come

	stopping atomic.Bool // serve no further batch
	memory   atomic.Int64
	active   atomic.Int64 // the server's time (Tick) of the last bytes
	meter    *meter

	closeOnce sync.Once
	gone      chan struct{} // closed by Close

	wire sync.Mutex // held while a goroutine writes bytes to nc

	mu      sync.Mutex // guards what follows; taken after wire
	nc      net.Conn   // carried by a goroutine: the connection; nil while a loop has it
	loop    *loop      // carried by a loop: that one; nil while a goroutine has it
	fd      int        // carried by a loop: the descriptor
	busy    bool       // a batch runs: pushed bytes wait for its end
	pushing bool       // someone is on the way to send queue
	closed  bool
	queue   []byte // pushed, not yet being written

	writing atomic.Int64 // bytes being written
}

func newConn(s *Server, nc net.Conn) *Conn {
	c := &Conn{server: s, nc: nc, remote: nc.RemoteAddr(), local: nc.LocalAddr(), gone: make(chan struct{}), meter: s.traffic.meter()}
	c.active.Store(s.now.Load())
	return c
}

// RemoteAddr is the client's address.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// LocalAddr is the address that the client connected to.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// Memory is what the session's buffers took, in bytes, when the client was last waited for.
func (c *Conn) Memory() int { return int(c.memory.Load()) }

// Active is when bytes last came or went, in the time that the server was told by [Server.Tick].
func (c *Conn) Active() int64 { return c.active.Load() }

// Close cuts the connection off at once; what waits to be sent is lost. Further calls do nothing.
func (c *Conn) Close() {
	c.closeOnce.Do(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = true
		c.queue = nil
		close(c.gone)
		if c.loop != nil {
			cutOff(c.fd) // the loop notices, and closes it
			return
		}
		closeNow(c.nc)
	})
}

// closeNow closes without the good-bye of TLS, which may wait for the peer to take it.
func closeNow(nc net.Conn) {
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok {
		t.NetConn().Close()
	}
	nc.Close()
}

// CloseAfterReply closes the connection once the batch that runs, if any, is done and its replies
// and everything pushed have left.
func (c *Conn) CloseAfterReply() {
	c.stopping.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loop != nil {
		c.loop.post(c)
		return
	}
	c.nc.SetReadDeadline(past)
}

// forget tells the handler that the connection is gone, once: of one that ends by itself before its
// last replies leave, so that whoever has read them finds it gone.
func (c *Conn) forget() {
	if !c.forgotten {
		c.forgotten = true
		c.handler.Closed()
	}
}

// received counts n bytes that came.
func (c *Conn) received(n int) {
	c.meter.reads.Add(1)
	c.meter.input.Add(int64(n))
	c.touch()
}

// sent counts n bytes that went.
func (c *Conn) sent(n int) {
	if n > 0 {
		c.meter.writes.Add(1)
		c.meter.output.Add(int64(n))
		c.touch()
	}
}

// touch notes that the client is alive. It mostly writes nothing: the time given to the server is
// coarse.
func (c *Conn) touch() {
	if now := c.server.now.Load(); c.active.Load() != now {
		c.active.Store(now)
	}
}

// holds notes what the session's buffers take.
func (c *Conn) holds(bytes int) {
	if c.memory.Load() != int64(bytes) {
		c.memory.Store(int64(bytes))
	}
}
