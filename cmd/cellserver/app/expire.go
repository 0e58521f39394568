package app

import (
	"runtime"
	"time"

	"cellserver/cmd/cellserver/clock"

	"cellserver/server"
	"cellserver/store"
)

// expiry removes expired keys in the background.
type expiry struct {
	clock  *clock.Clock
	server *server.Server
	store  *store.Store
	cursor store.SweepCursor // where the next sweep continues
	now    func() int64      // the time up to which keys may be removed, in Unix nanoseconds
	slice  timeSlice
}

// A sweep is made of steps, and other goroutines run after each time slice. So with few processors clients
// wait for one slice, and not for a round. The unit is work as [store.Store.Sweep] counts it.
const (
	sweepStep = 2_000  // work of one step
	sweepWork = 20_000 // work of the steps after which round decides whether to continue
)

// round removes expired keys for a part of a round's interval. As in Redis, active-expire-effort 1…10 sets
// two limits. A round ends if at most 10 % … 1 % of the work found expired keys, or after 25 % … 43 % of the
// interval. With its pauses it ends soon after the interval, because other jobs wait for it.
func (e *expiry) round(interval time.Duration) {
	effort := e.server.Config().ActiveExpireEffort - 1
	part := 25 + 2*effort
	left := int64(interval) * int64(part) / 100
	for end := e.clock.Monotonic() + int64(interval); left > 0 && e.clock.Monotonic() < end; {
		expired, visited, took := e.sweep(part)
		left -= took
		if expired*100 <= visited*(10-effort) {
			e.slice.caughtUp()
			return
		}
	}
	e.slice.fellBehind()
}

// sweep removes expired keys from a part of the keyspace. It returns how many keys expired, the work, and
// its time in nanoseconds, without the time that other goroutines took. part is the part of the time for the
// sweep, in percent.
func (e *expiry) sweep(part int) (expired, visited int, took int64) {
	n := sweepStep
	for visited < sweepWork && n >= sweepStep {
		now := e.now() // read first, so that MayExpire sees every pause that began before it
		if !e.server.MayExpire(now) {
			break
		}
		begun, removed := e.clock.Monotonic(), 0
		removed, n = e.store.Sweep(now, &e.cursor, sweepStep)
		ended := e.clock.Monotonic()
		took += ended - begun
		expired, visited = expired+removed, visited+n
		if e.slice.use(ended - begun) {
			runtime.Gosched()
			e.slice.next(e.clock.Monotonic()-ended, part)
		}
	}
	return expired, visited, took
}
