package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"cellserver/store"
)

// background does what no client asks for, hz times a second, until ctx ends.
func (a *App) background(ctx context.Context) {
	b := background{app: a}
	for {
		interval := time.Second / time.Duration(a.commands.Config().Hz)
		next := time.After(interval)
		b.guard(func() { b.round(interval) })
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}

// background is what the rounds remember.
type background struct {
	app       *App
	cursor    store.SweepCursor
	sampled   int64 // monotonic times at which things were last done
	patrolled int64
	reclaimer reclaimer
}

// How often things are done that hz does not speed up.
const (
	sampleEvery = int64(100 * time.Millisecond)
	patrolEvery = int64(time.Second)
)

// guard keeps a fault in one round from ending the server: it is logged, and the next
// round tries again.
func (b *background) guard(round func()) {
	defer func() {
		if reason := recover(); reason != nil {
			b.app.log.Error("a background round panicked", "reason", reason, "stack", string(debug.Stack()))
		}
	}()
	round()
}

func (b *background) round(interval time.Duration) {
	a, now := b.app, b.app.clock.Monotonic()
	a.transport.Tick(now)
	if now-b.patrolled >= patrolEvery {
		b.patrolled = now
		a.patrol(now)
		a.rules.poll(a)
		b.reclaimer.reclaim(a.store.UsedOfHeap())
	}
	if now-b.sampled >= sampleEvery {
		b.sampled = now
		a.commands.Tick()
		a.disk.Tick()
	}
	b.expire(interval)
	for n := 0; n < trimSteps && a.store.Trim(); n++ {
		runtime.Gosched()
	}
}

// Where processors are few, clients wait for steps of a fraction of a millisecond, not for
// a round: trimSteps is how many of one kind there are in it, sweepStep how much one of the
// other kind looks at, and sweepLook how much all that is then decided from.
const (
	trimSteps = 16
	sweepStep = 2_000
	sweepLook = 20_000
)

// expire removes keys whose time is over. It goes on while it is worth it and has time:
// as in Redis, active-expire-effort says how many stale keys may stay (10 % to 1 % of
// those looked at) and how much of a round may be spent (25 % to 43 %).
func (b *background) expire(interval time.Duration) {
	effort := b.app.commands.Config().ActiveExpireEffort - 1
	left := int64(interval) * int64(25+2*effort) / 100
	for left > 0 {
		expired, visited, took := b.sweep()
		left -= took
		if expired*100 <= visited*(10-effort) {
			return
		}
	}
}

// sweep looks at a part of the keys. It returns how many nanoseconds that took, without
// those for which it let others go first.
func (b *background) sweep() (expired, visited int, took int64) {
	a, n := b.app, sweepStep
	for visited < sweepLook && n >= sweepStep {
		now := a.clock.Now()
		if !a.commands.MayExpire(now) { // the clock comes first: what was forbidden before a moment is not done at it
			break
		}
		begun, e := a.clock.Monotonic(), 0
		e, n = a.store.Sweep(now, &b.cursor, sweepStep)
		took += a.clock.Monotonic() - begun
		expired, visited = expired+e, visited+n
		runtime.Gosched()
	}
	return expired, visited, took
}
