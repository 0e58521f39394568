package clock

import "golang.org/x/sys/unix"

// Boot returns the nanoseconds since the machine has started. They count while the machine is suspended.
func (c *Clock) Boot() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return c.Monotonic()
	}
	return t.Nano()
}
