package app

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// clock is the server's time: the real time, or a fixed time that DEBUG CLOCK sets. It implements [commands.Clock]. Reading
// it takes no lock.
type clock struct {
	started time.Time
	fixed   atomic.Pointer[int64] // Unix nanoseconds; nil while the clock follows the real time
	setting sync.Mutex            // held while fixed is written
}

func newClock() *clock { return &clock{started: time.Now()} }

// Now returns the logical time in Unix nanoseconds.
func (c *clock) Now() int64 {
	if at := c.fixed.Load(); at != nil {
		return *at
	}
	return time.Now().UnixNano()
}

// Monotonic returns the real nanoseconds since the start.
func (c *clock) Monotonic() int64 { return int64(time.Since(c.started)) }

// Read returns Now and Monotonic. It reads the system's clock once.
func (c *clock) Read() (now, monotonic int64) {
	t := time.Now()
	if at := c.fixed.Load(); at != nil {
		return *at, int64(t.Sub(c.started))
	}
	return t.UnixNano(), int64(t.Sub(c.started))
}

// Until returns in how many nanoseconds the logical time comes. It is math.MaxInt64 if the clock stands before it.
func (c *clock) Until(unixNano int64) int64 {
	at := c.fixed.Load()
	switch {
	case at == nil:
		return unixNano - time.Now().UnixNano()
	case *at < unixNano:
		return math.MaxInt64
	}
	return 0
}

// Set stops the clock at a time in Unix nanoseconds.
func (c *clock) Set(unixNano int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.fixed.Store(&unixNano)
}

// Advance moves the clock by some nanoseconds and stops it there.
func (c *clock) Advance(nanos int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	at := c.Now() + nanos
	c.fixed.Store(&at)
}

// Resume lets the clock follow the real time again.
func (c *clock) Resume() {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.fixed.Store(nil)
}
