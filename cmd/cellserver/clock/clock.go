package clock

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is the server's time: the real time, or a fixed time that DEBUG CLOCK sets. It implements
// [commands.Clock]. Reading it takes no lock.
//
// If the wall clock is set back by more than a limit, the clock goes on with the former time. It does so
// until the wall clock has caught up. So each limit lasts as long as it should, and a clock that is right
// again finds everything as it was.
type Clock struct {
	started time.Time
	fixed   atomic.Pointer[int64] // Unix nanoseconds; nil while the clock follows the real time
	skew    atomic.Int64          // what DEBUG CLOCK STEP adds to the wall clock
	wall    atomic.Pointer[wall]
	setting sync.Mutex   // held while the fields above are written
	steps   atomic.Int64 // how often the wall clock was set back by more than the limit
	gap     int64        // by how many nanoseconds the clock was ahead of the wall clock at the last check
}

// wall is how far the wall clock is ahead of the monotonic one, in nanoseconds.
type wall struct {
	offset int64 // when the clock was checked last
	limit  int64 // by which the offset may differ before the clock checks it again; 0: by any time
}

// gap returns by how many nanoseconds the clock is ahead of a wall clock with an offset; 0 if it follows it.
func (w *wall) gap(offset int64) int64 {
	if gap := w.offset - offset; w.limit > 0 && gap > w.limit {
		return gap
	}
	return 0
}

// New returns a clock that follows the real time.
func New() *Clock {
	c := &Clock{started: time.Now()}
	c.wall.Store(&wall{offset: c.started.UnixNano()})
	return c
}

// Read returns Now and Monotonic. It reads the system's clock once.
func (c *Clock) Read() (now, monotonic int64) {
	t := time.Now()
	monotonic = int64(t.Sub(c.started))
	if at := c.fixed.Load(); at != nil {
		return *at, monotonic
	}
	offset := t.UnixNano() + c.skew.Load() - monotonic
	if w := c.wall.Load(); w.limit > 0 && uint64(offset-w.offset+w.limit) > uint64(2*w.limit) {
		offset = c.jumped(offset)
	}
	return offset + monotonic, monotonic
}

// jumped returns the offset to use if it differs by more than the limit. Forward, the clock follows the wall
// clock at once.
func (c *Clock) jumped(offset int64) int64 {
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
func (c *Clock) Now() int64 {
	now, _ := c.Read()
	return now
}

// Machine returns the wall clock of the machine in Unix nanoseconds, also while the logical time is fixed.
func (c *Clock) Machine() int64 { return time.Now().UnixNano() + c.skew.Load() }

// Monotonic returns the real nanoseconds since the start.
func (c *Clock) Monotonic() int64 { return int64(time.Since(c.started)) }

// Until returns the nanoseconds until the logical time reaches a time. It returns math.MaxInt64 if the clock
// is fixed at an earlier time.
func (c *Clock) Until(unixNano int64) int64 {
	if at := c.fixed.Load(); at != nil && *at < unixNano {
		return math.MaxInt64
	}
	return max(unixNano-c.Now(), 0)
}

// Set stops the clock at a time in Unix nanoseconds.
func (c *Clock) Set(unixNano int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.fixed.Store(&unixNano)
}

// Advance moves the clock by some nanoseconds and stops it there.
func (c *Clock) Advance(nanos int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	moved := c.Now() + nanos
	c.fixed.Store(&moved)
}

// Resume lets the clock follow the real time again.
func (c *Clock) Resume() {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.fixed.Store(nil)
}

// Step sets the wall clock while the server runs.
func (c *Clock) Step(nanos int64) {
	c.setting.Lock()
	c.skew.Add(nanos)
	c.setting.Unlock()
	c.Check()
}

// Continue makes the clock go on from a time, if the time is ahead of the clock by more than the limit. It
// returns by how many nanoseconds the time is ahead.
func (c *Clock) Continue(from int64) (gap int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	w, now := c.wall.Load(), c.Now()
	if gap = from - now; w.limit == 0 || from < now || gap <= w.limit || c.fixed.Load() != nil {
		return 0
	}
	c.wall.Store(&wall{from - c.Monotonic(), w.limit})
	c.gap = gap
	return gap
}

// Lead is Continue for a node that begins to lead a cluster. The time of the cluster is that of its log, so
// what the clock has held before does not count.
func (c *Clock) Lead(from, limit int64) (gap int64) {
	c.SetLimit(0)
	c.Check()
	c.SetLimit(limit)
	return c.Continue(from)
}

// Steps returns how often the wall clock was set back, and by how many nanoseconds the clock is ahead of it.
func (c *Clock) Steps() (back, gap int64) { return c.steps.Load(), c.wall.Load().gap(c.offset()) }

// offset returns how far the wall clock is ahead of the monotonic one now.
func (c *Clock) offset() int64 {
	t := time.Now()
	return t.UnixNano() + c.skew.Load() - int64(t.Sub(c.started))
}

// SetLimit sets by how many nanoseconds the wall clock may be set back before the clock holds the former
// time; 0: by any time.
func (c *Clock) SetLimit(limit int64) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.wall.Store(&wall{c.wall.Load().offset, min(limit, math.MaxInt64/4)})
}

// Check compares the wall clock with the monotonic one, and counts a step back of more than the limit. The
// clock follows a smaller step.
func (c *Clock) Check() {
	c.setting.Lock()
	defer c.setting.Unlock()
	w, offset := c.wall.Load(), c.offset()
	gap := w.gap(offset)
	if gap == 0 {
		c.wall.CompareAndSwap(w, &wall{offset, w.limit})
	} else if gap-c.gap > w.limit {
		c.steps.Add(1)
	}
	c.gap = gap
}
