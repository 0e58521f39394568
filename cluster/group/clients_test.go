package group_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// A client sends a burst of steps with short pauses, and then rests. Most errors show only in steps that are on their way
// when a fault begins or ends, or when a node begins to lead. So a fault wakes all clients, and a client whose step has failed
// tries again without a rest. Steps at other times would take most of a world's processor time and find little.
const (
	longestPause = 20 * time.Millisecond
	longestBurst = 10 // steps with a reply
	longestRest  = 1500 * time.Millisecond
	shortRest    = 50 * time.Millisecond // while a machine is cut off with its readers
)

// pace says when a client sends its next step.
type pace struct {
	w    *world
	r    *rand.Rand
	left int // steps that the burst still has
}

// await waits until the next step.
func (p *pace) await() {
	if p.left == 0 {
		p.w.rest(p.r)
		p.left = 1 + p.r.IntN(longestBurst)
	}
	time.Sleep(time.Duration(p.r.Int64N(int64(longestPause))))
	p.w.progress()
}

// rest waits for a random time, or until a fault begins or ends.
func (w *world) rest(r *rand.Rand) {
	w.mu.Lock()
	woken, longest := w.woken, longestRest
	if w.cut != nil {
		longest = shortRest
	}
	w.mu.Unlock()
	select {
	case <-woken:
	case <-w.stop:
	case <-time.After(time.Duration(r.Int64N(int64(longest)))):
	}
}

// wakeClients ends the rests of all clients.
func (w *world) wakeClients() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.woken)
	w.woken = make(chan struct{})
}

// client sends steps until the world ends. Clients with an odd number stay with a machine that is cut off, and only read.
func (w *world) client(id int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 100+uint64(id)))
	var s *clustertest.Session
	at := w.Machines[r.IntN(len(w.Machines))]
	for p := (pace{w: w, r: r}); !w.stopped(); {
		p.await()
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
		what := w.randomStep(r)
		if alone {
			what.key = strings.NewReplacer("throttle", "counter", "gcra", "counter").Replace(what.key)
			what.op = reads[what.key[:strings.Index(what.key, ":")]]
		}
		p.left--
		w.places <- struct{}{}
		err := w.step(s, id, what)
		<-w.places
		if err != nil {
			s.Close()
			s, p.left = nil, max(p.left, 1)
		}
	}
	if s != nil {
		s.Close()
	}
}

// keysLast is how many steps of all clients use the same keys. So no history gets long.
const keysLast = 400

// randomStep returns a step.
func (w *world) randomStep(r *rand.Rand) step {
	ops := []string{"incr", "get", "throttle", "gcra", "both", "pair", "enter", "enter", "leave", "drop", "limit"}
	kind := r.IntN(len(ops))
	names := append([]string{"counter", "counter", "throttle", "gcra", "pair", "pair"},
		slices.Repeat([]string{"adaptive"}, 5)...)
	key := fmt.Sprint(names[kind], ":", r.IntN(2), ":", w.history.calls.Load()/keysLast)
	return step{op: ops[kind], key: key, permit: randomPermit(r)}
}

// reads are the steps that read keys. The keys of gcra have no such one.
var reads = map[string]string{"counter": "get", "pair": "pair", "throttle": "throttle", "adaptive": "limit"}

// isOld reports whether no client has used a key for long, but for less than the life of an adaptive limit.
func (w *world) isOld(key string) bool {
	epoch, err := strconv.ParseInt(key[strings.LastIndex(key, ":")+1:], 10, 64)
	require.NoError(w.t, err)
	return epoch < w.history.calls.Load()/keysLast-20
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
		w.history.reply(client, what, call, what.output(w.t, replies))
	}
	return err
}

// readAll reads every key once more. So the check of the history finds a lost change, even if no later step used its key.
func (w *world) readAll() {
	var s *clustertest.Session
	for _, key := range w.history.keys() {
		last := step{op: reads[key[:strings.Index(key, ":")]], key: key} // the keys of gcra have expired
		if last.op == "limit" && w.isOld(key) {                          // as may have the state of an adaptive limit
			continue
		}
		for tries := 0; last.op != "" && (s == nil || w.step(s, -1, last) != nil); tries++ {
			require.Less(w.t, tries, 100)
			var err error
			s, err = w.Leader().Connect() // a late step of a node may still end an epoch
			require.NoError(w.t, err)
		}
	}
}
