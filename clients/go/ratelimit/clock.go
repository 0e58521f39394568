package ratelimit

import (
	"sync/atomic"
	"time"

	"cellserver/sidecar/account"
)

// started is where the clock that never jumps begins.
var started = time.Now()

// asleep is the time that the clock of package time has missed while the machine was suspended, and ahead is
// how far the wall clock was ahead of it then. Both are in microseconds.
var asleep, ahead atomic.Int64

// Steps of a clock, in microseconds.
const (
	wallStep    = 1000   // a machine that wakes up sets its wall clock
	shortestNap = 10_000 // a shorter difference of two clocks is the time between reading them
)

// clock returns a moment by the clock that counts suspended time, where the system has one, and by the wall
// clock. Reading the first one is slow, so it is read after a step of the wall clock only.
func clock() account.Time {
	now := time.Now()
	t := account.Time{Boot: now.Sub(started).Microseconds(), Wall: now.UnixMicro()}
	if step := t.Wall - t.Boot - ahead.Load(); step > wallStep || step < -wallStep {
		ahead.Store(t.Wall - t.Boot)
		if boot, ok := bootTime(); ok && boot-t.Boot-asleep.Load() > shortestNap {
			asleep.Store(boot - t.Boot)
		}
	}
	t.Boot += asleep.Load()
	return t
}
