package app

import (
	"sync"
	"time"
)

// clock is the server's time: the real one, or one that is set by hand.
type clock struct {
	started time.Time

	mu      sync.Mutex // guards stopped and at
	stopped bool
	at      int64 // Unix nanoseconds, while stopped
}

func newClock() *clock { return &clock{started: time.Now()} }

// Now returns the logical time in Unix nanoseconds.
func (c *clock) Now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *clock) now() int64 {
	if c.stopped {
		return c.at
	}
	return time.Now().UnixNano()
}

// Monotonic returns the real nanoseconds since the start.
func (c *clock) Monotonic() int64 { return int64(time.Since(c.started)) }

// Set stops the clock at a time.
func (c *clock) Set(unixNano int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped, c.at = true, unixNano
}

// Advance stops the clock, if it runs, and moves it on.
func (c *clock) Advance(nanos int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped, c.at = true, c.now()+nanos
}

// Resume lets the clock follow the real time again.
func (c *clock) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = false
}
