package resp

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// idlePause is after how much silence big buffers are given back.
	idlePause = time.Second
	// lingerFor is how long a client that is closed with a last word may take to read it.
	lingerFor = 200 * time.Millisecond
)

// past is a deadline that has always passed: it interrupts a Read.
var past = time.Unix(1, 0)

// Conn is a client's connection. Its methods may be called from any goroutine.
type Conn struct {
	// UserData is for whoever accepted the connection; set it in Accept.
	UserData any

	server  *Server
	nc      net.Conn
	session *Session

	deadline time.Time   // in force for reads, zero for none; the serving goroutine's
	stopping atomic.Bool // serve no further batch
	drowsy   atomic.Bool // the read was interrupted because of idlePause
	idle     *time.Timer // calls interrupt; made when first needed
	memory   atomic.Int64

	closeOnce sync.Once
	gone      chan struct{} // closed by Close

	wire  sync.Mutex // held while bytes are written to nc
	timed bool       // a write deadline is set; guarded by wire

	mu      sync.Mutex // guards what follows; taken after wire
	busy    bool       // a batch runs: pushed bytes wait for its end
	pushing bool       // a goroutine is on its way to send queue
	closed  bool
	queue   []byte // pushed, not yet being written
	writing int    // bytes being written
}

func newConn(s *Server, nc net.Conn) *Conn {
	return &Conn{server: s, nc: nc, gone: make(chan struct{})}
}

// NetConn is the connection below, a *tls.Conn for instance.
func (c *Conn) NetConn() net.Conn { return c.nc }

// RemoteAddr is the client's address.
func (c *Conn) RemoteAddr() net.Addr { return c.nc.RemoteAddr() }

// LocalAddr is the address that the client connected to.
func (c *Conn) LocalAddr() net.Addr { return c.nc.LocalAddr() }

// Memory is what the session's buffers took, in bytes, when the client was last waited for.
func (c *Conn) Memory() int { return int(c.memory.Load()) }

// Close cuts the connection off at once; what waits to be sent is lost. Further calls do nothing.
func (c *Conn) Close() {
	c.closeOnce.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.queue = nil
		c.mu.Unlock()
		close(c.gone)
		// TLS would say good-bye first, and may wait for the peer to take it.
		if t, ok := c.nc.(interface{ NetConn() net.Conn }); ok {
			t.NetConn().Close()
		}
		c.nc.Close()
	})
}

// CloseAfterReply closes the connection once the batch that runs, if any, is done and its replies
// and everything pushed have left.
func (c *Conn) CloseAfterReply() {
	c.stopping.Store(true)
	c.nc.SetReadDeadline(past)
}

// serve runs the connection until it is gone.
func (c *Conn) serve(h Handler) {
	c.session = NewSession(h)
	defer c.Close()
	if c.talk(h) {
		c.linger()
	}
}

// talk reads and answers; it reports whether it was us who ended it.
func (c *Conn) talk(h Handler) bool {
	defer h.Closed()
	for c.rest() {
		n, err := c.read()
		if n > 0 && !c.batch(n) {
			return true
		}
		if err != nil && !c.survives(err) {
			return false
		}
	}
	return c.send()
}

// rest gets ready to wait for the client; it reports false when the connection is to end.
func (c *Conn) rest() bool {
	if c.server.ReadDeadline != nil {
		d := c.server.ReadDeadline(c)
		if !d.IsZero() || !c.deadline.IsZero() {
			c.nc.SetReadDeadline(d)
		}
		c.deadline = d
	}
	return !c.stopping.Load()
}

// read waits for bytes. Whoever is silent with big buffers is interrupted once, to give them back.
func (c *Conn) read() (int, error) {
	space := c.session.Space()
	held := c.session.Capacity()
	c.memory.Store(int64(held))
	if held <= 3*smallBuffer {
		return c.nc.Read(space)
	}
	if c.idle == nil {
		c.idle = time.AfterFunc(idlePause, c.interrupt)
	} else {
		c.idle.Reset(idlePause)
	}
	defer c.idle.Stop()
	return c.nc.Read(space)
}

// interrupt makes the read return, because the client has been silent for idlePause.
func (c *Conn) interrupt() {
	c.drowsy.Store(true)
	c.nc.SetReadDeadline(past)
}

// survives reports whether serving goes on after a failed read: after an interruption, or when
// the client has been given more time meanwhile.
func (c *Conn) survives(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	if c.stopping.Load() {
		return true
	}
	if c.drowsy.Swap(false) {
		c.session.Shrink()
		c.nc.SetReadDeadline(c.deadline)
		return true
	}
	if c.deadline.IsZero() {
		return false
	}
	d := c.server.ReadDeadline(c)
	return d.IsZero() || d.After(c.deadline)
}

// batch runs the n bytes read and sends the replies; it reports false when the connection is to end.
func (c *Conn) batch(n int) bool {
	c.setBusy()
	status := c.session.Filled(n)
	for wait := firstPause; ; {
		if !c.send() {
			return false
		}
		switch status {
		case Continue:
			return true
		case Close:
			return false
		case Retry:
			if !c.pause(wait) {
				return false
			}
			wait = min(2*wait, longestPause)
		}
		c.setBusy()
		status = c.session.Resume()
	}
}

// linger lets the client read the last words: a close with unread input would reset them away.
func (c *Conn) linger() {
	half, ok := c.nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	timer := time.AfterFunc(lingerFor, c.Close)
	defer timer.Stop()
	c.nc.SetReadDeadline(time.Time{})
	var scrap [512]byte
	for {
		if _, err := c.nc.Read(scrap[:]); err != nil {
			return
		}
	}
}

// refuse says why the client is not served.
func (c *Conn) refuse(text string) {
	defer c.Close()
	timer := time.AfterFunc(lingerFor, c.Close)
	defer timer.Stop()
	var w Writer
	w.Error(text)
	if _, err := c.nc.Write(w.Bytes()); err == nil {
		c.linger()
	}
}
