package group_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

const (
	workers = 6
	// patience is how long a worker may wait for an element that is in its list, after the last fault.
	patience = 15 * time.Second
)

// queues are workers that wait with BLPOP, two for each list, and a client that brings elements.
type queues struct {
	*world
	mu      sync.Mutex // guards the fields below
	taken   [workers][]string
	pending [workers]*clustertest.Session // waits now
	closed  int                           // connections that ended while a worker waited
	over    bool

	pushed []string // elements with an acknowledged push; only the pusher uses it
}

func listOf(worker int) string { return fmt.Sprint("list:", worker/2) }

// work takes elements until the end. A worker whose connection ends connects to the next machine that leads.
func (q *queues) work(id int) {
	for at := id; ; {
		s, err := q.Machines[at%len(q.Machines)].Connect()
		for err == nil && q.begin(id, s) {
			var replies []any
			replies, err = s.Do("BLPOP " + listOf(id) + " 0")
			q.note(id, replies, err)
		}
		if s != nil {
			s.Close()
		}
		if q.begin(id, nil); q.isOver() {
			return
		}
		at++
		time.Sleep(20 * time.Millisecond)
	}
}

func (q *queues) begin(id int, s *clustertest.Session) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending[id] = s
	return !q.over
}

func (q *queues) isOver() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over
}

func (q *queues) note(id int, replies []any, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.taken[id] = append(q.taken[id], replies[0].([]any)[1].(string))
	} else if errors.Is(err, clustertest.ErrClosed) {
		q.closed++
	}
}

// end ends all workers.
func (q *queues) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	for _, s := range q.pending {
		if s != nil {
			s.Cut()
		}
	}
}

// push brings an element at a machine that leads.
func (q *queues) push(id int, element string) {
	s, err := q.Leader().Connect()
	if err != nil {
		return
	}
	defer s.Close()
	if _, err = s.Do("RPUSH " + listOf(id) + " " + element); err == nil {
		q.pushed = append(q.pushed, element)
	}
}

// underFaults brings elements while there are faults, for a time.
func (q *queues) underFaults(r *rand.Rand, next *int, o worldOptions) {
	q.stop = make(chan struct{})
	q.faults.Go(func() { q.makeFaults(o) })
	for end := time.Now().Add(o.lasts); time.Now().Before(end); {
		*next++
		q.push(r.IntN(workers), strconv.Itoa(*next))
		time.Sleep(time.Duration(r.Int64N(int64(100 * time.Millisecond))))
	}
	close(q.stop)
	q.faults.Wait()
	q.Heal()
}

// left returns how many elements a list has; 1 if no machine says it.
func (q *queues) left(id int) int64 {
	s, err := q.Leader().Connect()
	if err != nil {
		return 1
	}
	defer s.Close()
	replies, err := s.Do("LLEN " + listOf(id))
	if err != nil {
		return 1
	}
	return replies[0].(int64)
}

// serveAll waits until the workers have emptied their lists after the last fault. It returns those that wait in vain.
func (q *queues) serveAll() (stuck []string) {
	for id := range workers {
		for begun := time.Now(); q.left(id) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > patience {
				stuck = append(stuck, fmt.Sprintf("worker %d waits for %s, which is not empty", id, listOf(id)))
				break
			}
		}
	}
	return stuck
}

// TestWaitingClientsUnderFaults: whatever happens to the leaders, a client that waits for a list is served or its
// connection ends, so it never waits at a node that leads no more. No element is given twice. An element is lost only with
// the connection to which it was given.
func TestWaitingClientsUnderFaults(t *testing.T) {
	progress := clustertest.Watchdog(t)
	for i := range seeds(t) {
		seed := first(t) + uint64(i)
		t.Run(fmt.Sprint("SEED=", seed), func(t *testing.T) {
			t.Parallel()
			require.Empty(t, waitUnderFaults(t, progress, worldOptions{
				Options: clustertest.Options{Nodes: 3, Seed: seed, Window: 1 + int(seed%3), Files: seed%2 == 0}, clients: 1, lasts: 5 * time.Second,
			}))
		})
	}
}

// waitUnderFaults runs a world with workers. It returns the workers that wait in vain.
func waitUnderFaults(t *testing.T, progress func(), o worldOptions) (stuck []string) {
	rounds := int(lasting(t) / (10 * time.Second))
	synctest.Test(t, func(t *testing.T) {
		q := &queues{world: newWorld(t, progress, o)}
		defer q.late.Wait()
		defer q.Close()
		q.Leader()
		for id := range workers {
			q.clients.Go(func() { q.work(id) })
		}
		r, next := rand.New(rand.NewPCG(o.Seed, 8)), 0
		for round := 0; round < rounds && stuck == nil; round++ {
			q.underFaults(r, &next, o)
			stuck = q.serveAll()
		}
		q.end()
		q.clients.Wait()
		given := map[string]bool{}
		for _, element := range slices.Concat(q.taken[:]...) {
			require.False(t, given[element], "element %s was given twice", element)
			given[element] = true
		}
		lost := slices.DeleteFunc(slices.Clone(q.pushed), func(element string) bool { return given[element] })
		t.Log("seed", o.Seed, "pushed", len(q.pushed), "lost", len(lost), "connections ended", q.closed, q.counts)
		require.LessOrEqual(t, len(lost), q.closed)
		require.Positive(t, q.closed)
	})
	return stuck
}

// waitsAt makes a client wait for a list at a machine, and returns how its wait ends.
func waitsAt(t *testing.T, m *clustertest.Machine) (ended chan error) {
	s, err := m.Connect()
	require.NoError(t, err)
	ended = make(chan error, 1)
	go func() {
		_, err := s.Do("BLPOP list 0")
		s.Close()
		ended <- err
	}()
	synctest.Wait()
	return ended
}

// requireEnded requires that the connection of a client that waited has ended.
func requireEnded(t *testing.T, ended chan error) {
	t.Helper()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, clustertest.ErrClosed)
	default:
		require.Fail(t, "the client waits at a node that has lost the lead")
	}
}

// TestWaitsEndWithTheLead: a client that waits at a leader learns soon that the node leads no more, also if nobody tells
// the node who leads now.
func TestWaitsEndWithTheLead(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		old := c.Leader()
		ended := waitsAt(t, old)
		c.Network.Isolate(old.Addr(), true)
		time.Sleep(2 * time.Second)
		require.Equal(t, int64(1), do(t, c.Leader(), "LPUSH list element"), "another node leads")
		requireEnded(t, ended)
	})
}

// TestWaitsEndBeforeTheNextLead: a node takes a pop back, because no other node has it. So the list has its element again,
// and nobody waits for it at the node, which leads again.
func TestWaitsEndBeforeTheNextLead(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		leader := c.Leader()
		do(t, leader, "LPUSH list element")
		var others []*clustertest.Machine
		for _, m := range c.Machines {
			if m != leader {
				others = append(others, m)
			}
		}
		c.Network.Isolate(leader.Addr(), true)
		for _, command := range []string{"INCR key", "LPOP list"} { // the first entry keeps the second from the log
			s, err := leader.Connect()
			require.NoError(t, err)
			go func() {
				_, err := s.Do(command)
				require.ErrorIs(t, err, clustertest.ErrClosed)
				s.Close()
			}()
			synctest.Wait()
		}
		ended := waitsAt(t, leader)
		c.Network.Cut(others[0].Addr(), others[1].Addr(), true)
		c.Network.Cut(others[1].Addr(), others[0].Addr(), true)
		time.Sleep(2 * time.Second)
		c.Network.Isolate(leader.Addr(), false)
		time.Sleep(3 * time.Second)
		require.Same(t, leader, c.Leader())
		require.Equal(t, int64(1), do(t, leader, "LLEN list"))
		requireEnded(t, ended)
	})
}
