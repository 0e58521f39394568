package app

import (
	"context"
	"runtime"
	"time"

	"cellserver/cmd/cellserver/clock"

	"cellserver/resp/transport"
	"cellserver/server"
	"cellserver/store"
)

// background does the jobs that no client asks for. One goroutine uses it.
type background struct {
	log       *logger
	clock     *clock.Clock
	server    *server.Server
	store     *store.Store
	transport *transport.Server
	peers     *peers

	expiry    expiry
	reclaimer reclaimer
	heapLimit heapLimit
	done
}

// done is what background has done.
type done struct {
	sampled   int64 // monotonic time of the last samples
	patrolled int64 // monotonic time of the last patrol
	steps     int64 // how many steps of the clock are in the log
}

// Intervals of the jobs that do not depend on hz, in nanoseconds.
const (
	sampleInterval = int64(100 * time.Millisecond)
	patrolInterval = int64(time.Second)
)

// evictSteps bounds how often a round calls [server.Server.Evict].
const evictSteps = 16

// trimSteps bounds how often a round calls [store.Store.Trim]. Each call takes less than a millisecond, and
// other goroutines run between two calls.
const trimSteps = 16

// run does hz rounds a second until ctx ends.
func (b *background) run(ctx context.Context) {
	for {
		interval := time.Second / time.Duration(b.server.Config().Hz)
		next := time.After(interval)
		b.log.guard("a background round panicked", func() { b.round(interval) })
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}

// checkClock logs that the wall clock was set back.
func (b *background) checkClock() {
	b.clock.Check()
	steps, gap := b.clock.Steps()
	if steps > b.steps {
		b.log.Warn("the clock was set back: limits and expiries go on with the former time "+
			"until it has caught up; check the clock if the time is wrong now",
			"ahead-seconds", float64(gap)/1e9)
	}
	b.steps = steps
}

func (b *background) round(interval time.Duration) {
	now := b.clock.Monotonic()
	b.checkClock()
	b.transport.Tick(now)
	if now-b.patrolled >= patrolInterval {
		b.patrolled = now
		b.peers.patrol(now)
		traffic := b.transport.Traffic()
		b.reclaimer.reclaim(b.clock.Monotonic, b.store.UsedOfHeap(), traffic.Input+traffic.Output+int64(b.server.Clients())+b.server.Activity())
	}
	if now-b.sampled >= sampleInterval {
		b.sampled = now
		b.server.Tick()
		cfg := b.server.Config()
		b.heapLimit.follow(cfg.MaxMemory, b.store.Used(), b.store.UsedOfHeap(), readHeap().live,
			scriptMemory{b.server.ScriptMemory(), cfg.ScriptMemoryLimit})
		for n := 0; n < evictSteps && b.server.Evict(); n++ {
			runtime.Gosched()
		}
	}
	b.expiry.round(interval)
	for n := 0; n < trimSteps && b.store.Trim(); n++ {
		runtime.Gosched()
	}
}
