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
const pausedBuffer = BusyBuffer

// pause waits for the next try of a command; it reports false when the connection is to end.
// Meanwhile it reads on, since that is how a client's going is noticed: without it, a command that
// waits for ever would keep a connection whose client is long gone.
func (k *carrier) pause(d time.Duration) bool {
	if k.session.Buffered() >= pausedBuffer {
		return k.sleep(d)
	}
	k.nc.SetReadDeadline(time.Time{})
	if k.stopping.Load() {
		return false
	}
	rung := make(chan struct{})
	alarm := time.AfterFunc(d, func() {
		k.nc.SetReadDeadline(past)
		close(rung)
	})
	n, err := k.nc.Read(k.session.Space())
	if !alarm.Stop() {
		<-rung
	}
	k.nc.SetReadDeadline(time.Time{})
	if n > 0 {
		k.received(n)
		k.session.Received(n)
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	return !k.stopping.Load()
}

// sleep is pause for a client that has sent enough.
func (k *carrier) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return !k.stopping.Load()
	case <-k.gone:
		return false
	}
}
