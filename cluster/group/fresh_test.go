package group_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"sync"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

	"github.com/stretchr/testify/require"
)

// age is how old a value of a follower may be: a node timeout and a second, and a node timeout for which a leader that is cut
// off believes that it leads.
const age = 2*500*time.Millisecond + group.AskInterval

// ledger has the acknowledged values of a counter, and since when they are acknowledged.
type ledger struct {
	mu  sync.Mutex // guards all
	all []acked    // in the order of time
}

type acked struct {
	at    time.Time
	value int64
}

func (l *ledger) add(value int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, acked{time.Now(), value})
}

// least returns the last value that was acknowledged at a time.
func (l *ledger) least(at time.Time) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := sort.Search(len(l.all), func(i int) bool { return l.all[i].at.After(at) })
	if n == 0 {
		return 0
	}
	return l.all[n-1].value
}

// count increments a counter on leaders until a channel is closed.
func (l *ledger) count(c *clustertest.Cluster, stop chan struct{}) {
	for s, err := (*clustertest.Session)(nil), clustertest.ErrClosed; ; time.Sleep(20 * time.Millisecond) {
		select {
		case <-stop:
			return
		default:
		}
		if err != nil {
			s, err = c.Leader().Connect()
			continue
		}
		var replies []any
		if replies, err = s.Do("INCR key"); err == nil {
			l.add(replies[0].(int64))
		}
	}
}

// oldestRead lets a writer count, and readers ask all nodes, while faults strike. It returns what is wrong with a value that a
// node has shown; "" if nothing is.
func oldestRead(t *testing.T, o clustertest.Options, f func(w *world, m *clustertest.Machine)) (wrong string, answers int) {
	bubble(t, func(t *testing.T, progress func()) {
		o.Nodes, o.Now, o.Files = 3, time.Now, true
		c := clustertest.New(t, o)
		defer c.Close()
		time.Sleep(5 * time.Second)
		var l ledger
		var writer sync.WaitGroup
		stop := make(chan struct{})
		writer.Go(func() { l.count(c, stop) })
		w := &world{Cluster: c, t: t, random: rand.New(rand.NewPCG(o.Seed, 7))}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 3 {
				f(w, c.Machines[w.random.IntN(3)])
				time.Sleep(2 * time.Second)
			}
		}()
		for running := true; running; time.Sleep(10 * time.Millisecond) {
			select {
			case <-done:
				running = false
			default:
			}
			progress()
			for _, m := range c.Machines {
				s, err := m.Connect()
				if err != nil {
					continue
				}
				begun := time.Now()
				replies, err := s.Do("READONLY", "GET key")
				if err == nil && !m.Leads() {
					answers++
					text, _ := replies[1].(string)
					got, _ := strconv.ParseInt(text, 10, 64)
					if least := l.least(begun.Add(-age)); got < least && wrong == "" {
						wrong = fmt.Sprint("a node shows ", got, ", and ", least, " was acknowledged ", age, " before")
					}
				}
				if err == nil {
					s.Close()
				}
			}
		}
		close(stop)
		writer.Wait()
	})
	return wrong, answers
}

// cutOffs are faults after which a follower does not hear what the leader does.
var cutOffs = map[string]func(w *world, m *clustertest.Machine){
	"a node is cut off": func(w *world, m *clustertest.Machine) {
		w.Network.Isolate(m.Addr(), true)
		time.Sleep(15 * time.Second)
		w.Network.Isolate(m.Addr(), false)
	},
	"a follower starts again after a long time": func(w *world, m *clustertest.Machine) {
		if m == w.Leader() {
			m = other(w.Cluster, m)
		}
		require.NoError(w.t, m.Kill())
		time.Sleep(15 * time.Second)
		w.Network.Slow(m.Addr(), 200*time.Millisecond)
		require.NoError(w.t, m.Restart())
		time.Sleep(5 * time.Second)
		w.Network.Slow(m.Addr(), 0)
	},
	"the disk of a node does not answer": func(_ *world, m *clustertest.Machine) {
		m.HangDisk(true)
		time.Sleep(10 * time.Second)
		m.HangDisk(false)
	},
	"a node and the leader are cut off from the third one": func(w *world, _ *clustertest.Machine) {
		leader := w.Leader()
		for _, m := range w.Machines {
			if m != leader {
				w.Network.Cut(leader.Addr(), m.Addr(), true)
				w.Network.Cut(m.Addr(), leader.Addr(), true)
				break
			}
		}
		time.Sleep(10 * time.Second)
		w.Network.Heal()
	},
}

// A follower shows no value that is older than the bound, whatever keeps it from hearing the leader.
func TestReadsOfFollowersAreFresh(t *testing.T) {
	for name, f := range cutOffs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range seedsEach {
				wrong, answers := oldestRead(t, clustertest.Options{Seed: first(t) + seed}, f)
				require.Empty(t, wrong)
				require.Greater(t, answers, 1000, "followers answer as long as they are fresh")
			}
		})
	}
}

// TestOldReadsAreFound: oldestRead finds nodes that trust their keys for too long.
func TestOldReadsAreFound(t *testing.T) {
	for _, name := range []string{"a node is cut off", "the disk of a node does not answer"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := false
			for seed := range uint64(3) {
				wrong, _ := oldestRead(t, clustertest.Options{Seed: first(t) + seed,
					Prepare: (*group.Group).TrustKeys}, cutOffs[name])
				found = found || wrong != ""
			}
			require.True(t, found, "nobody has found the fault")
		})
	}
}
