package cluster_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster"
	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// world is a cluster with clients and faults.
type world struct {
	*clustertest.Cluster
	t        testing.TB
	random   *rand.Rand
	history  history
	progress func()
	stop     chan struct{}
	clients  sync.WaitGroup
	faults   sync.WaitGroup
	late     sync.WaitGroup // entries that raft gets late
	stall    atomic.Int64   // how long the next proposer takes, in nanoseconds

	mu     sync.Mutex           // guards everything below
	counts map[string]int       // what has happened
	cut    *clustertest.Machine // is cut off with its readers; nil for none
}

// cutOff says which machine is cut off with its readers.
func (w *world) cutOff(m *clustertest.Machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = m
}

// isCutOff reports whether a machine is cut off with its readers.
func (w *world) isCutOff(m *clustertest.Machine) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut == m
}

func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

// worldOptions say how long a world lasts, and what is wrong with it.
type worldOptions struct {
	clustertest.Options
	clients int
	lasts   time.Duration
	only    string // the only fault that happens; "": all do
	mixed   bool   // clients change keys of all types, and nobody checks the replies
}

// run runs a world in virtual time. It returns what is wrong with the history or with the stores; "" if nothing is.
func run(t *testing.T, progress func(), o worldOptions) (wrong string) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, random: rand.New(rand.NewPCG(o.Seed, 7)), progress: progress, stop: make(chan struct{}), counts: map[string]int{}}
		slow := w.slowness(o.Seed)
		o.Now = time.Now
		prepare := o.Prepare
		o.Prepare = func(n *cluster.Node) {
			n.BeforeSteps(func() { time.Sleep(slow()) })
			n.ProposeBy((&lateEntries{slow: slow, running: &w.late}).give)
			if prepare != nil {
				prepare(n)
			}
		}
		w.Cluster = clustertest.New(t, o.Options)
		defer w.late.Wait()
		defer w.Close()
		w.Leader()
		for i := range o.clients {
			client := w.client
			if o.mixed {
				client = w.mixedClient
			}
			w.clients.Go(func() { client(i, o.Seed) })
		}
		w.faults.Go(func() { w.makeFaults(o.only) })
		time.Sleep(o.lasts)
		close(w.stop)
		w.faults.Wait()
		w.clients.Wait()
		w.Heal()
		if _, err := w.Equal(); err != nil {
			wrong = err.Error()
		} else {
			wrong = w.history.violation(t, progress)
		}
		t.Log("seed", o.Seed, "operations", len(w.history.all), w.counts)
	})
	return wrong
}

// slowness returns a function that says how long a step of a node takes: sometimes long, as in a process that gets no CPU.
func (w *world) slowness(seed uint64) func() time.Duration {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 9))
	return func() time.Duration {
		wait := time.Duration(w.stall.Swap(0))
		mu.Lock()
		defer mu.Unlock()
		slow, more := random.IntN(1000) == 0, time.Duration(random.Int64N(int64(4*time.Second)))
		if slow {
			wait += more
		}
		return wait
	}
}

// lateEntries gives the entries of a node to raft in their order, some of them late.
type lateEntries struct {
	slow    func() time.Duration
	running *sync.WaitGroup
	mu      sync.Mutex // guards waiting
	waiting []func()
}

func (l *lateEntries) give(apply func()) {
	wait := l.slow()
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait == 0 && len(l.waiting) == 0 {
		apply()
		return
	}
	l.waiting = append(l.waiting, func() { time.Sleep(wait); apply() })
	if len(l.waiting) == 1 {
		l.running.Go(l.giveWaiting)
	}
}

func (l *lateEntries) giveWaiting() {
	for more := true; more; {
		l.mu.Lock()
		next := l.waiting[0]
		l.mu.Unlock()
		next()
		l.mu.Lock()
		l.waiting = l.waiting[1:]
		more = len(l.waiting) > 0
		l.mu.Unlock()
	}
}

// stopped reports whether the world ends.
func (w *world) stopped() bool {
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

// client sends steps until the world ends. Clients with an odd number stay with a machine that is cut off, and only read.
func (w *world) client(id int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 100+uint64(id)))
	var s *clustertest.Session
	at := w.Machines[r.IntN(len(w.Machines))]
	for n := 0; !w.stopped(); n++ {
		time.Sleep(time.Duration(r.Int64N(int64(20 * time.Millisecond))))
		w.progress()
		alone := w.isCutOff(at)
		if s != nil && alone && id%2 == 0 {
			s.Close()
			s = nil
		}
		if s == nil {
			at = w.Machines[r.IntN(len(w.Machines))]
			s, _ = at.Connect()
			continue
		}
		what := randomStep(r, n)
		if alone {
			what.key = strings.NewReplacer("throttle", "counter", "gcra", "counter").Replace(what.key)
			what.op = map[bool]string{true: "get", false: "pair"}[strings.HasPrefix(what.key, "counter")]
		}
		if err := w.step(s, id, what); err != nil {
			s.Close()
			s = nil
		}
	}
	if s != nil {
		s.Close()
	}
}

// randomStep returns a step. Keys change after a while, so that no history gets long.
func randomStep(r *rand.Rand, n int) step {
	ops := []string{"incr", "get", "throttle", "gcra", "both", "pair"}
	kind := r.IntN(len(ops))
	names := []string{"counter", "counter", "throttle", "gcra", "pair", "pair"}
	return step{op: ops[kind], key: fmt.Sprint(names[kind], ":", r.IntN(2), ":", n/60)}
}

// step sends one step, and notes its result.
func (w *world) step(s *clustertest.Session, client int, what step) error {
	call := w.history.call()
	replies, err := s.Do(what.command()...)
	what.now = s.Now()
	switch {
	case errors.Is(err, clustertest.ErrRefused):
		w.count("refused")
	case errors.Is(err, clustertest.ErrClosed):
		w.count("unknown")
		w.history.reply(client, what, call, nil)
	default:
		require.NoError(w.t, err)
		w.count("answered")
		w.history.reply(client, what, call, what.reduce(output(w.t, replies)))
	}
	return err
}

// seeds returns how many seeds a test tries: SEEDS in the environment, or a few.
func seeds(t testing.TB) int {
	if s := os.Getenv("SEEDS"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	return fewSeeds
}

// lasting returns how long a world lasts in virtual time: MINUTES in the environment, or a short time.
func lasting(t testing.TB) time.Duration {
	if s := os.Getenv("MINUTES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return time.Duration(n) * time.Minute
	}
	return shortWorld
}

// first returns the first seed: SEED in the environment, or 1.
func first(t testing.TB) uint64 {
	if s := os.Getenv("SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		return n
	}
	return 1
}

func TestHistoriesUnderFaults(t *testing.T) {
	progress := clustertest.Watchdog(t)
	for i := range seeds(t) {
		seed := first(t) + uint64(i)
		nodes, reads := 3+2*int(seed%2), cluster.Lease
		if seed%3 == 0 {
			reads = cluster.Quorum
		}
		wrong := run(t, progress, worldOptions{
			Options: clustertest.Options{Nodes: nodes, Seed: seed, Window: 1 + int(seed%3), Files: seed%4 < 2, Reads: reads}, clients: 8, lasts: lasting(t),
		})
		require.Empty(t, wrong, "SEED=%d", seed)
	}
}
