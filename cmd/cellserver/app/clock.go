package app

import (
	"sync"
	"sync/atomic"
	"time"
)

// clock is the server's time: the real one, or one that is set by hand. It implements
// [commands.Clock]. Reading it takes no lock.
type clock struct {
	started time.Time
	fixed   atomic.Pointer[int64] // Unix nanoseconds at which the clock stands; nil while it runs
	setting sync.Mutex            // held by whoever writes fixed
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

// Read returns both.
func (c *clock) Read() (now, monotonic int64) {
	t := time.Now()
	if at := c.fixed.Load(); at != nil {
		return *at, int64(t.Sub(c.started))
	}
	return t.UnixNano(), int64(t.Sub(c.started))
}

// Set stops the clock at a time.
func (c *clock) Set(unixNano int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.fixed.Store(&unixNano)
}

// Advance moves the clock on and stops it there.
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
