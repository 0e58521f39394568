package transport

import (
	"errors"
	"os"
	"time"

	"cellserver/resp"
)

// pausedBuffer is the most bytes that a worker reads while a command waits.
const pausedBuffer = resp.BusyBuffer

// pausing is what a connection knows of a command that returned Retry. Conn.mu guards it.
type pausing struct {
	woken  bool          // Wake was called since a worker last paused
	wakeup chan struct{} // ends the pause of a worker; nil while no worker pauses
}

// Wake makes a command that returned Retry run again now. If no command waits, the next command that returns
// Retry runs again at once. So a caller changes what the command waits for, and then calls Wake: the command
// misses nothing.
func (c *Conn) Wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.woken = true
	if c.wakeup != nil {
		c.interrupt()
	}
}

// interrupt ends the read or the pause of a worker; mu is held.
func (c *Conn) interrupt() {
	c.nc.SetReadDeadline(past)
	select {
	case c.wakeup <- struct{}{}:
	default: // no worker pauses, or the pause ends anyway
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
	w.beginPause()
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

// readPaused reads until the pause ends. A client that has sent pausedBuffer bytes must wait. readPaused
// returns false if the connection is closed.
func (w *worker) readPaused() bool {
	if w.session.Buffered() >= pausedBuffer {
		select {
		case <-w.wakeup:
			return true
		case <-w.done:
			return false
		}
	}
	n, err := w.readSome()
	if n > 0 {
		w.received(n)
		w.session.Received(n)
	}
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
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

func (w *worker) beginPause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wakeup = make(chan struct{}, 1)
}

func (w *worker) endPause() {
	w.mu.Lock()
	w.woken, w.wakeup = false, nil
	w.mu.Unlock()
	w.nc.SetReadDeadline(time.Time{})
}

func (w *worker) isWoken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.woken
}
