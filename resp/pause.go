package resp

import (
	"errors"
	"os"
	"time"
)

// Between the tries of a command that answered Retry the pauses grow: short waits end in time,
// and thousands of clients that wait long cost little.
const (
	firstPause   = 2 * time.Millisecond
	longestPause = 32 * time.Millisecond
)

// pausedBuffer is how many bytes are read ahead while a command waits for its next try.
const pausedBuffer = busyBuffer

// pause waits for the next try of a command; it reports false when the connection is to end.
// Meanwhile it reads on, since that is how a client's going is noticed: without it, a command that
// waits for ever would keep a connection whose client is long gone.
func (c *Conn) pause(d time.Duration) bool {
	if c.session.Buffered() >= pausedBuffer {
		return c.sleep(d)
	}
	c.nc.SetReadDeadline(time.Time{}) // who waits for us is not idle; rest sets the next one
	if c.stopping.Load() {
		return false
	}
	rung := make(chan struct{})
	alarm := time.AfterFunc(d, func() {
		c.nc.SetReadDeadline(past)
		close(rung)
	})
	n, err := c.nc.Read(c.session.Space())
	if !alarm.Stop() {
		<-rung
	}
	c.nc.SetReadDeadline(time.Time{})
	c.session.Received(n)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	return !c.stopping.Load()
}

// sleep is pause for a client that has sent enough.
func (c *Conn) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return !c.stopping.Load()
	case <-c.gone:
		return false
	}
}
