package sidecar_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/gcra"
	"cellserver/internal/promisetest"
	"cellserver/limiters/window"
	"cellserver/server/servertest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// scenario is a limit with a load, and what it promises.
type scenario struct {
	name    string
	command []any
	rate    float64 // of each client, in requests a second
	promise promisetest.Promise
	central func(at []time.Duration) int // how many of these requests one server would allow
}

// epoch is how long after the begin of a window the world begins.
func epoch(period time.Duration) time.Duration { return time.Duration(servertest.Start) % period }

var scenarios = []scenario{
	{
		"CL.THROTTLE below its limit", []any{"CL.THROTTLE", "hot", 999, 1000, 1}, 20,
		promisetest.Bucket(1000, 1000, time.Second), centralBucket(999, 1000, 1e9),
	},
	{
		"CL.THROTTLE above its limit", []any{"CL.THROTTLE", "hot", 199, 200, 1}, 20,
		promisetest.Bucket(200, 200, time.Second), centralBucket(199, 200, 1e9),
	},
	{
		"CL.WINDOW", []any{"CL.WINDOW", "hot", 400, 2, "ALIGN"}, 20,
		promisetest.Aligned(400, 2*time.Second, epoch(2*time.Second)), centralAligned(400, 2*time.Second),
	},
	{
		"CL.SLIDING", []any{"CL.SLIDING", "hot", 1000, 4}, 20,
		promisetest.Sliding(1000, 4*time.Second, epoch(4*time.Second)), centralSliding(1000, 4e9),
	},
	{
		"CL.LOG", []any{"CL.LOG", "hot", 1000, 5}, 20,
		promisetest.AnyPeriod(1000, 5*time.Second), centralLog(1000, 5*time.Second),
	},
}

func centralBucket(burst, count, period int64) func([]time.Duration) int {
	return func(at []time.Duration) (n int) {
		quota, err := gcra.NewQuotaIn(burst, count, period)
		if err != nil {
			panic(err)
		}
		tat := int64(0)
		for _, t := range at {
			d, err := quota.Decide(tat, servertest.Start+int64(t), 1)
			if err != nil {
				panic(err)
			}
			if tat = d.TAT; !d.Limited {
				n++
			}
		}
		return n
	}
}

func centralAligned(limit int, period time.Duration) func([]time.Duration) int {
	return func(at []time.Duration) (n int) {
		used := map[time.Duration]int{}
		for _, t := range at {
			if w := (t + epoch(period)) / period; used[w] < limit {
				used[w]++
				n++
			}
		}
		return n
	}
}

func centralSliding(limit, period int64) func([]time.Duration) int {
	return func(at []time.Duration) (n int) {
		sliding, err := window.NewSliding(limit, period)
		if err != nil {
			panic(err)
		}
		var counts window.Counts
		for _, t := range at {
			d, next, err := sliding.Decide(counts, servertest.Start+int64(t), 1)
			if err != nil {
				panic(err)
			}
			if d.Changed {
				counts = next
			}
			if !d.Limited {
				n++
			}
		}
		return n
	}
}

func centralLog(limit int, period time.Duration) func([]time.Duration) int {
	return func(at []time.Duration) int {
		var passed []time.Duration
		for _, t := range at {
			if n := len(passed); n < limit || passed[n-limit] <= t-period {
				passed = append(passed, t)
			}
		}
		return len(passed)
	}
}

// failure breaks something of a world for about a time, and mends it.
type failure struct {
	name string
	run  func(w *world, b *beside, d time.Duration)
}

var failures = []failure{
	{"nothing", func(_ *world, _ *beside, d time.Duration) { time.Sleep(d) }},
	{"a sidecar is cut off", func(_ *world, b *beside, d time.Duration) { b.line.cut(d); time.Sleep(d) }},
	{"half of the sidecars are cut off", func(w *world, _ *beside, d time.Duration) {
		for _, i := range w.rand.Perm(len(w.sidecars))[:len(w.sidecars)/2] {
			w.sidecars[i].line.cut(d)
		}
		time.Sleep(d)
	}},
	{"connections break", func(w *world, _ *beside, d time.Duration) {
		for _, b := range w.sidecars {
			b.line.reset()
		}
		time.Sleep(d)
	}},
	{"a slow network", func(_ *world, b *beside, d time.Duration) { b.line.slowDown(timeout/2-20*time.Millisecond, d) }},
	{"answers are late", func(_ *world, b *beside, d time.Duration) { b.line.slowDown(timeout, d) }},
	{"a sidecar is paused", func(w *world, b *beside, d time.Duration) {
		b.paused.Store(int64(time.Since(w.begun) + d))
		b.line.cut(d)
		time.Sleep(d)
	}},
	{"kill -9 of a sidecar", func(_ *world, b *beside, d time.Duration) {
		b.close()
		time.Sleep(d / 4)
		b.start()
	}},
	{"kill -9 of the leader", hubFails(func(w *world, d time.Duration) { w.kill(w.hub.Leader(), d) })},
	{"SIGSTOP of the leader", hubFails(func(w *world, d time.Duration) { w.stop(w.hub.Leader(), d) })},
	{"another node leads", hubFails(func(w *world, d time.Duration) {
		_ = w.hub.Leader().Group().GiveWay("") // a hub of one node refuses
		time.Sleep(d)
	})},
	{"messages of the nodes are lost and repeated", hubFails(func(w *world, d time.Duration) {
		w.hub.Network.SetFaults(clustertest.Faults{Delay: 5 * time.Millisecond, Lost: 0.05, Duplicated: 0.05})
		time.Sleep(d)
		w.hub.Network.Heal()
	})},
}

// hubFails marks a failure of the hub.
func hubFails(run func(w *world, d time.Duration)) func(*world, *beside, time.Duration) {
	return func(w *world, _ *beside, d time.Duration) {
		w.reachable.Store(false)
		run(w, d)
		w.hub.Leader()
		time.Sleep(recovery)
		w.reachable.Store(true)
	}
}

// clients is how many each sidecar has.
const clients = 4

// lives runs a world for a time, with failures one after the other.
func (w *world) lives(rate float64, d time.Duration, all []failure) {
	until := time.Now().Add(d)
	w.reachable.Store(true)
	var working sync.WaitGroup
	for i, b := range w.sidecars {
		for c := range clients {
			working.Go(func() { b.client(uint64(100*i+c), rate, until) })
		}
	}
	for time.Until(until) > 10*time.Second && len(all) > 0 {
		time.Sleep(time.Duration(w.rand.Int64N(int64(3 * time.Second))))
		f := all[w.rand.IntN(len(all))]
		w.t.Logf("%s: %s", time.Since(w.begun), f.name)
		f.run(w, w.sidecars[w.rand.IntN(len(w.sidecars))], 200*time.Millisecond+time.Duration(w.rand.Int64N(int64(3*time.Second))))
	}
	working.Wait()
}

// number returns an environment variable as a number.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// TestFailures: worlds with random failures, of a minute if the race detector is off. Then WORLDS=60 makes ten hours of virtual time for all limits together.
// SEED repeats a world.
func TestFailures(t *testing.T) {
	first := number(t, "SEED", rand.Uint64()>>1)
	worlds := number(t, "WORLDS", 1)
	for _, s := range scenarios {
		for _, nodes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, %d nodes", s.name, nodes), func(t *testing.T) {
				t.Parallel()
				var sum outcome
				for seed := first; seed < first+worlds; seed++ {
					synctest.Test(t, func(t *testing.T) {
						w := newWorld(t, seed, nodes, 6, account.Deny, s.command...)
						o := s.run(w, failures)
						require.NoError(t, s.promise(w.allowed), "SEED=%d", seed)
						require.Greater(t, o.part(), 0.9, "SEED=%d", seed)
						sum.allowed, sum.possible = sum.allowed+o.allowed, sum.possible+o.possible
					})
				}
				t.Logf("%d allowed of %d that one server would allow: %.3f", sum.allowed, sum.possible, sum.part())
			})
		}
	}
}

// TestEachFailure: a world in which only one thing fails.
func TestEachFailure(t *testing.T) {
	seed := number(t, "SEED", rand.Uint64()>>1)
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scenarios[0]
				w := newWorld(t, seed, 3, 6, account.Deny, s.command...)
				o := s.run(w, []failure{f})
				require.NoError(t, s.promise(w.allowed), "SEED=%d", seed)
				require.Greater(t, o.part(), 0.97, "SEED=%d", seed)
			})
		})
	}
}

// TestFailover: the leader of the hub is killed, and clients ask for half of the limit. With upstream-lost local nobody is
// refused, and the sidecars lease again within 1.5 s.
func TestFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scenarios[0]
		w := newWorld(t, number(t, "SEED", rand.Uint64()>>1), 3, 6, account.Share, s.command...)
		defer w.close()
		var again []time.Duration
		go func() {
			time.Sleep(15 * time.Second) // by then each sidecar has counted the others
			killed, before := time.Now(), w.leased()
			require.NoError(t, w.hub.Leader().Kill())
			for _, b := range w.sidecars {
				b.line.reset()
			}
			for i := range before {
				for w.leased()[i] == before[i] {
					time.Sleep(10 * time.Millisecond)
				}
				again = append(again, time.Since(killed))
			}
		}()
		w.lives(s.rate, 20*time.Second, nil)
		synctest.Wait()
		t.Logf("%d allowed, %d refused; errors: %v; leases again after %v", len(w.allowed), w.refused, w.errors, again)
		require.NoError(t, s.promise(w.allowed))
		require.Zero(t, w.refused)
		require.Len(t, again, len(w.sidecars))
		require.Less(t, slices.Max(again), recovery)
	})
}

// leased returns how many units each sidecar has leased.
func (w *world) leased() (all []int64) {
	for _, b := range w.sidecars {
		f, _ := b.running.Load().sidecar.Figures()
		all = append(all, f.Leased)
	}
	return all
}

// TestSlowClocksAreFound: sidecars whose clocks run at a third of the true speed keep units for too long, and the promises
// find that.
func TestSlowClocksAreFound(t *testing.T) {
	for _, s := range scenarios[2:4] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); ; seed++ {
				broken := false
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, seed, 1, 6, account.Deny, s.command...)
					for _, b := range w.sidecars {
						b.clock.rate.Store(math.Float64bits(-2.0 / 3))
					}
					s.run(w, failures)
					broken = s.promise(w.allowed) != nil
				})
				if broken {
					return
				}
				require.Less(t, seed, uint64(10))
			}
		})
	}
}

// outcome is how many requests were allowed, and how many one server would have allowed.
type outcome struct{ allowed, possible int }

func (o outcome) part() float64 { return float64(o.allowed) / float64(o.possible) }

// run lets a world live for worldLasts with failures.
func (s *scenario) run(w *world, all []failure) outcome {
	defer w.close()
	w.lives(s.rate, worldLasts, all)
	slices.Sort(w.reach)
	o := outcome{len(w.allowed), s.central(w.reach)}
	w.t.Logf("SEED=%d: %d allowed, %d refused, %d possible: %.3f; errors: %v", w.seed, o.allowed, w.refused, o.possible, o.part(), w.errors)
	return o
}
