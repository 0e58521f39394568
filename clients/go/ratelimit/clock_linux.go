package ratelimit

import "golang.org/x/sys/unix"

// bootTime reads the clock that counts the time in which the machine is suspended, in microseconds.
func bootTime() (micros int64, ok bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return t.Nano() / 1000, err == nil
}
