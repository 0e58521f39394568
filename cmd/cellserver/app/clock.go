package app

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/store"
)

// clock is the server's time: the real time, or a fixed time that DEBUG CLOCK sets. It implements [commands.Clock]. Reading
// it takes no lock.
//
// If the wall clock is set back by more than a limit, the clock continues with the former time, until step follows the
// wall clock.
type clock struct {
	started time.Time
	fixed   atomic.Pointer[int64] // Unix nanoseconds; nil while the clock follows the real time
	skew    atomic.Int64          // what DEBUG CLOCK STEP adds to the wall clock
	wall    atomic.Pointer[wall]
	setting sync.Mutex // held while the fields above are written
	check   func()     // looks for a step of the wall clock; nil for none
}

// wall is how far the wall clock is ahead of the monotonic one, in nanoseconds.
type wall struct {
	offset int64 // when the clock was checked last
	limit  int64 // by which the offset may differ before the clock checks it again; 0: by any time
}

func newClock() *clock {
	c := &clock{started: time.Now()}
	c.wall.Store(&wall{offset: c.started.UnixNano()})
	return c
}

// real returns the real time of a reading of the system's clock, and its monotonic part.
func (c *clock) real(t time.Time) (now, monotonic int64) {
	monotonic = int64(t.Sub(c.started))
	offset := t.UnixNano() + c.skew.Load() - monotonic
	if w := c.wall.Load(); w.limit > 0 && uint64(offset-w.offset+w.limit) > uint64(2*w.limit) {
		offset = c.jumped(offset)
	}
	return offset + monotonic, monotonic
}

// jumped returns the offset to use if it differs by more than the limit. Forward, the clock follows the wall clock at once.
func (c *clock) jumped(offset int64) int64 {
	for {
		w := c.wall.Load()
		if offset < w.offset {
			return w.offset
		}
		if c.wall.CompareAndSwap(w, &wall{offset, w.limit}) {
			return offset
		}
	}
}

// Now returns the logical time in Unix nanoseconds.
func (c *clock) Now() int64 {
	if at := c.fixed.Load(); at != nil {
		return *at
	}
	now, _ := c.real(time.Now())
	return now
}

// machine returns the wall clock of the machine in Unix nanoseconds, also while the logical time is fixed.
func (c *clock) machine() int64 { return time.Now().UnixNano() + c.skew.Load() }

// Monotonic returns the real nanoseconds since the start.
func (c *clock) Monotonic() int64 { return int64(time.Since(c.started)) }

// Read returns Now and Monotonic. It reads the system's clock once.
func (c *clock) Read() (now, monotonic int64) {
	now, monotonic = c.real(time.Now())
	if at := c.fixed.Load(); at != nil {
		now = *at
	}
	return now, monotonic
}

// Until returns the nanoseconds until the logical time reaches a time. It returns math.MaxInt64 if the clock is fixed
// at an earlier time.
func (c *clock) Until(unixNano int64) int64 {
	if at := c.fixed.Load(); at != nil && *at < unixNano {
		return math.MaxInt64
	}
	return max(unixNano-c.Now(), 0)
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

// Step sets the wall clock while the server runs. After a step back it also moves the keys back before it returns.
func (c *clock) Step(nanos int64) {
	c.skewBy(nanos)
	if c.check != nil {
		c.check()
	}
}

func (c *clock) skewBy(nanos int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.skew.Add(nanos)
}

// setLimit sets by how many nanoseconds the wall clock may be set back before the clock holds the former time; 0: by
// any time.
func (c *clock) setLimit(limit int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.wall.Store(&wall{c.wall.Load().offset, min(limit, math.MaxInt64/4)})
}

// step compares the wall clock with the monotonic one. If the wall clock was set back by more than the limit, it returns the
// step, and take lets the clock follow. Otherwise take is nil. A fixed clock does not go back.
func (c *clock) step() (s store.Step, take func()) {
	c.setting.Lock()
	defer c.setting.Unlock()
	t := time.Now()
	monotonic := int64(t.Sub(c.started))
	w, next := c.wall.Load(), wall{offset: t.UnixNano() + c.skew.Load() - monotonic}
	next.limit = w.limit
	back := w.offset - next.offset
	if w.limit == 0 || back <= w.limit || c.fixed.Load() != nil {
		c.wall.CompareAndSwap(w, &next)
		return s, nil
	}
	return store.Step{Was: monotonic + w.offset, Back: back}, func() { c.wall.Store(&next) }
}
