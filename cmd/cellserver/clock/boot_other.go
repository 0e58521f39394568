//go:build !linux

package clock

// Boot returns a monotonic time in nanoseconds. This system has no clock that counts while the machine is
// suspended, so a caller compares the wall clock, too.
func (c *Clock) Boot() int64 { return c.Monotonic() }
