package group_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

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
	places   chan struct{} // holds a value for each client that sends; compare fills it
	differ   string        // the first difference of the stores, "" if there is no difference; only compare sets it
	clients  sync.WaitGroup
	faults   sync.WaitGroup
	late     sync.WaitGroup // entries that raft gets late
	joining  atomic.Bool    // a machine has lost its disk, and does not vote yet
	stall    atomic.Int64   // how long the next proposer takes, in nanoseconds

	mu     sync.Mutex           // guards everything below
	counts map[string]int       // what has happened
	woken  chan struct{}        // is closed when a fault begins or ends
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
	only    string         // the only fault that happens; "": all do
	before  func(w *world) // runs before the faults; may be nil
	mixed   bool           // clients change keys of all types, and nobody checks the replies
}

// run runs a world in virtual time. It returns what is wrong with the history or with the stores; "" if nothing is.
func run(t *testing.T, progress func(), o worldOptions) (wrong string) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, progress, o)
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
		w.faults.Go(func() {
			if o.before != nil {
				o.before(w)
			}
			w.makeFaults(o)
		})
		time.Sleep(o.lasts)
		close(w.stop)
		w.faults.Wait()
		w.clients.Wait()
		w.compare()
		if wrong = w.differ; wrong == "" && !o.mixed {
			w.readAll()
			wrong = w.history.violation(t, progress)
		}
		t.Log("seed", o.Seed, "operations", len(w.history.all), w.counts)
	})
	return wrong
}

// newWorld returns a world whose machines run. There are no clients and no faults yet.
func newWorld(t testing.TB, progress func(), o worldOptions) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(o.Seed, 7)), progress: progress, counts: map[string]int{},
		stop: make(chan struct{}), woken: make(chan struct{}), places: make(chan struct{}, o.clients)}
	w.Cluster = clustertest.New(t, w.slowNodes(o.Options))
	return w
}

// compare ends all faults, and compares the stores while no client sends. It notes the first difference.
func (w *world) compare() {
	for range cap(w.places) {
		w.places <- struct{}{}
	}
	w.Heal()
	if _, err := w.Equal(); err != nil && w.differ == "" {
		w.differ = err.Error()
	}
	for range cap(w.places) {
		<-w.places
	}
}

// slowNodes returns options that make some steps of the nodes slow, and give raft some of their entries late.
func (w *world) slowNodes(o clustertest.Options) clustertest.Options {
	slow := w.slowness(o.Seed)
	o.Now = time.Now
	prepare := o.Prepare
	o.Prepare = func(n *group.Group) {
		n.BeforeSteps(func() { time.Sleep(slow()) })
		n.ProposeBy((&lateEntries{slow: slow, running: &w.late}).give)
		if prepare != nil {
			prepare(n)
		}
	}
	return o
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

// TestHistoriesUnderFaults: no world shows a client anything that one correct server would not. A world has 3 or 5 nodes and
// 8 clients, with logs in memory or in files, leases or proofs for reads, and a window of 1 to 3 entries. A virtual minute has
// about 23 faults of 17 kinds, and about 4,000 steps. Most steps come in a burst when a fault begins or ends.
//
// Porcupine checks the history of each key. At the end every key is read once more, and the stores of all nodes must be equal.
func TestHistoriesUnderFaults(t *testing.T) {
	progress := clustertest.Watchdog(t)
	for i := range seeds(t) {
		seed := first(t) + uint64(i)
		nodes, reads := 3+2*int(seed%2), group.Lease
		if seed%3 == 0 {
			reads = group.Quorum
		}
		o := worldOptions{
			Options: clustertest.Options{Nodes: nodes, Seed: seed, Window: 1 + int(seed%3), Files: seed%4 < 2, Reads: reads}, clients: 8, lasts: lasting(t),
		}
		t.Run(fmt.Sprint("SEED=", seed), func(t *testing.T) {
			t.Parallel()
			require.Empty(t, run(t, progress, o))
		})
	}
}
