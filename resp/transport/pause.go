package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"cellserver/resp"
)

// pausedBuffer is the most bytes that a worker reads while a command waits.
const pausedBuffer = resp.BusyBuffer

// pausing is what a connection knows of a command that returned Retry. Conn.mu guards it.
type pausing struct {
	woken  bool // Wake was called since a worker last paused
	paused bool // a command waits: from the end of its batch to the end of the pause
}

// Wake makes a command that returned Retry run again now. If no command waits, the next command that returns
// Retry runs again at once. So a caller changes what the command waits for, and then calls Wake: the command
// misses nothing. Messages that are pushed later follow the reply of a command that waits.
func (c *Conn) Wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.woken {
		c.woken, c.early = true, len(c.queue)
	}
	if c.paused {
		c.busy = true
		c.interrupt()
	}
}

// interrupt ends the read or the pause of a worker, if one serves the connection; mu is held.
func (c *Conn) interrupt() {
	if c.nc != nil {
		c.nc.SetReadDeadline(past)
	}
}

// pause waits until a command that returned Retry is to run again: until the handler's time, or Wake. It
// takes no CPU meanwhile. It returns false if the connection is to close. It reads, to notice a client that
// closes its connection.
func (w *worker) pause() bool {
	if after := w.handler.RetryAfter(); after != resp.NoTime {
		timer := time.AfterFunc(time.Duration(after), w.Wake)
		defer timer.Stop()
	}
	defer w.endPause()
	for {
		// CloseAfterReply and Wake first set their flag, and then the deadline. This loop clears the
		// deadline first, and then reads the flags. So it misses neither.
		w.nc.SetReadDeadline(time.Time{})
		if w.stopping.Load() {
			return false
		}
		if w.isWoken() {
			return true
		}
		if !w.readPaused() {
			return false
		}
	}
}

// readPaused reads until the pause ends. A client that has sent pausedBuffer bytes must wait: of this client
// readPaused notices only that it leaves. readPaused returns false if the connection is closed.
func (w *worker) readPaused() bool {
	var n int
	var err error
	if w.session.Buffered() >= pausedBuffer {
		err = awaitHangUp(w.nc)
	} else if n, err = w.readSome(); n > 0 {
		w.received(n)
		w.session.Received(n)
	}
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// awaitHangUp waits until the other side closes a connection, and returns io.EOF. It reads nothing, and ends
// as a read does.
func awaitHangUp(nc net.Conn) error {
	raw, ok := socketOf(nc).(syscall.Conn)
	if !ok {
		return errors.ErrUnsupported
	}
	rc, err := raw.SyscallConn()
	if err == nil {
		err = rc.Read(func(uintptr) bool { return hungUp(nc) })
	}
	if err == nil {
		err = io.EOF
	}
	return err
}

// fitBelow is how many bytes a client has sent at most that gets no room for more while it waits.
const fitBelow = 1 << 10

// readSome reads into the room of the session. A client that waits sends nothing as a rule. So it has no
// room, and takes half of the memory, until its first bytes come.
func (w *worker) readSome() (int, error) {
	if w.session.Buffered() > fitBelow {
		return w.nc.Read(w.session.Space())
	}
	w.session.Fit()
	var first [64]byte
	n, err := w.nc.Read(first[:])
	if n > 0 {
		copy(w.session.Space(), first[:n])
	}
	return n, err
}

func (w *worker) endPause() {
	w.mu.Lock()
	w.woken, w.paused = false, false
	w.mu.Unlock()
	w.nc.SetReadDeadline(time.Time{})
}

func (w *worker) isWoken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.woken
}
