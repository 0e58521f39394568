//go:build !linux

package ratelimit

// bootTime reports that this system has no clock that counts suspended time. A lease ends by the wall clock.
func bootTime() (micros int64, ok bool) { return 0, false }
