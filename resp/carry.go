package resp

import (
	"errors"
	"net"
	"os"
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

// carrier is a goroutine that carries one connection, and may wait for its client.
type carrier struct {
	*Conn
	nc     net.Conn
	drowsy atomic.Bool // the read was interrupted because of idlePause
	idle   *time.Timer // calls interrupt; made when first needed
}

// carry serves the connection in this goroutine, until a loop takes it or it is gone. Its session
// has ended a batch with st, whose output is to be sent.
func (c *Conn) carry(st Status) {
	taken := false
	defer func() {
		if reason := recover(); reason != nil || !taken {
			c.Close()
			c.server.finish(c, reason)
		}
	}()
	k := carrier{Conn: c, nc: c.nc}
	for more := true; more && k.follow(st); {
		if taken = c.server.adopt(c); taken {
			return
		}
		st, more = k.next()
	}
	c.forget()
	linger(k.Conn, k.nc)
}

// follow sends the replies of a batch that ended with st, and goes on until all that has come is
// done; it reports false when the connection is to end.
func (k *carrier) follow(st Status) bool {
	for wait := firstPause; ; {
		if st == Close {
			k.forget()
		}
		if !k.send() {
			return false
		}
		switch st {
		case Continue:
			return true
		case Close:
			return false
		case Retry:
			if !k.pause(wait) {
				return false
			}
			wait = min(2*wait, longestPause)
		}
		k.setBusy()
		st = k.session.Resume()
	}
}

// next waits for bytes and runs them; it reports false when the connection is to end.
func (k *carrier) next() (Status, bool) {
	for !k.stopping.Load() {
		n, err := k.read()
		if n > 0 {
			k.received(n)
			k.setBusy()
			return k.session.Filled(n), true
		}
		if err != nil && !k.survives(err) {
			return Close, false
		}
	}
	k.send() // what was pushed
	return Close, false
}

// read waits for bytes. Whoever is silent with big buffers is interrupted once, to give them back.
func (k *carrier) read() (int, error) {
	space := k.session.Space()
	held := k.session.Capacity()
	k.holds(held)
	if held <= 3*IdleBuffer {
		return k.nc.Read(space)
	}
	if k.idle == nil {
		k.idle = time.AfterFunc(idlePause, k.interrupt)
	} else {
		k.idle.Reset(idlePause)
	}
	defer k.idle.Stop()
	return k.nc.Read(space)
}

// interrupt makes the read return, because the client has been silent for idlePause.
func (k *carrier) interrupt() {
	k.drowsy.Store(true)
	k.nc.SetReadDeadline(past)
}

// survives reports whether serving goes on after a failed read: after an interruption.
func (k *carrier) survives(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	if k.drowsy.Swap(false) {
		k.session.Shrink()
		k.nc.SetReadDeadline(time.Time{}) // before next asks whether to stop, which sets its own
	}
	return true
}

// linger lets the client read the last words: a close with unread input would reset them away.
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

// refuse says why the client is not served.
func (c *Conn) refuse(text string) {
	defer c.server.finish(c, nil)
	defer c.Close()
	timer := time.AfterFunc(lingerFor, c.Close)
	defer timer.Stop()
	var w Writer
	w.Error(text)
	if _, err := c.nc.Write(w.Bytes()); err == nil {
		linger(c, c.nc)
	}
}
