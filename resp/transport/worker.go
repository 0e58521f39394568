package transport

import (
	"errors"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"cellserver/resp"
)

const (
	// shrinkAfter is the silence after which a worker frees large buffers.
	shrinkAfter = time.Second
	// lingerFor is the time that a client has to read the last reply before its connection closes.
	lingerFor = 200 * time.Millisecond
)

// worker serves one connection on a goroutine of its own, and may block on its client. It works for every
// net.Conn.
type worker struct {
	*Conn
	nc     net.Conn
	silent atomic.Bool // shrinkAfter has passed: the read was interrupted
	timer  *time.Timer // calls fallSilent; made by the first read that needs it
}

// serve runs a worker until an event loop adopts the connection, or the connection is closed. st is how the
// session's last batch ended; its output is not sent yet.
func serve(c *Conn, st resp.Status) {
	adopted := false
	defer func() {
		c.host.workers.Add(-1)
		if reason := recover(); reason != nil || !adopted {
			c.Close()
			c.host.finish(c, reason)
		}
	}()
	w := worker{Conn: c, nc: c.nc}
	for more := true; more && w.finishBatch(st); {
		if adopted = c.host.adopt(c); adopted {
			return
		}
		st, more = w.nextBatch()
	}
	c.notifyClosed()
	linger(c, w.nc)
}

// nextBatch waits for bytes and runs them. It returns false if the connection is to close.
func (w *worker) nextBatch() (resp.Status, bool) {
	for !w.stopping.Load() {
		n, err := w.read()
		if n > 0 {
			w.received(n)
			st := w.runBatch(n)
			if n == readSize {
				runtime.Gosched() // a client that always has more to read shares the processor
			}
			return st, true
		}
		if err != nil && !w.interrupted(err) {
			return resp.Close, false
		}
	}
	w.takeMessages(false)
	w.send()
	return resp.Close, false
}

// finishBatch sends the replies of a batch that ended with st, and goes on until all received commands
// have run. It returns false if the connection is to close.
func (w *worker) finishBatch(st resp.Status) bool {
	for {
		if st == resp.Close {
			w.notifyClosed()
		}
		if !w.send() {
			return false
		}
		switch st {
		case resp.Continue:
			return true
		case resp.Close:
			return false
		case resp.Retry:
			if !w.pause() {
				return false
			}
		}
		st = w.runBatch(0)
	}
}

// send writes the session's output, once the barrier allows it. It reports whether the connection is open.
func (w *worker) send() bool {
	if w.need > 0 && !w.host.barrier.Wait(w.mark) {
		w.Close()
		return false
	}
	w.wire.Lock()
	defer w.wire.Unlock()
	left, ok := w.endBatch()
	if !ok {
		w.Close()
		return false
	}
	for ok && left > 0 {
		out := w.session.Segment()
		ok = w.write(w.nc, out)
		w.session.SentSome(len(out))
		left -= len(out)
	}
	w.session.Sent()
	return ok
}

// read waits for bytes. If the client is silent for shrinkAfter and the session holds large buffers, read
// is interrupted, once.
func (w *worker) read() (int, error) {
	space := w.session.Space()
	space = space[:min(len(space), readSize)]
	held := w.session.Capacity()
	w.setMemory(held)
	if held <= 3*resp.IdleBuffer {
		return w.nc.Read(space)
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(shrinkAfter, w.fallSilent)
	} else {
		w.timer.Reset(shrinkAfter)
	}
	defer w.timer.Stop()
	return w.nc.Read(space)
}

// fallSilent ends a read of a silent client.
func (w *worker) fallSilent() {
	w.silent.Store(true)
	w.nc.SetReadDeadline(past)
}

// interrupted reports whether a read failed because of a deadline. If the client is silent, interrupted
// frees its large buffers.
func (w *worker) interrupted(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	if w.silent.Swap(false) {
		w.session.Shrink()
		// CloseAfterReply sets its deadline after stopping, and nextBatch reads stopping after this line.
		w.nc.SetReadDeadline(time.Time{})
	}
	return true
}

// linger closes the write side, and reads until the client closes or lingerFor has passed. A close with
// unread input would reset the connection, and the client would lose the last reply.
func linger(c *Conn, nc net.Conn) {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	timer := time.AfterFunc(lingerFor, c.Close)
	defer timer.Stop()
	nc.SetReadDeadline(time.Time{})
	var scrap [512]byte
	for {
		if _, err := nc.Read(scrap[:]); err != nil {
			return
		}
	}
}

// refuse sends an error to a client that is not accepted, and closes its connection. It waits for nothing,
// because refused clients are not counted. As in Redis, a TLS client gets no error: its handshake would wait.
func refuse(c *Conn, text string) {
	defer c.host.finish(c, nil)
	defer c.Close()
	var w resp.Writer
	w.Error(text)
	sendNow(c.nc, w.Bytes())
}
