package group_test

import (
	"sync"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

	"github.com/stretchr/testify/require"
)

// distant makes a cluster whose messages take a millisecond.
func distant(t *testing.T, reads group.Reads) (*clustertest.Cluster, *clustertest.Machine) {
	c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now, Reads: reads})
	for _, m := range c.Machines {
		c.Network.Slow(m.Addr(), time.Millisecond)
	}
	m := c.Leader()
	time.Sleep(5 * time.Second)
	return c, m
}

// increment lets a client increment counters, with a pause after each reply. It returns how long it has waited for replies.
func increment(t *testing.T, m *clustertest.Machine, times int, pause time.Duration) (waited time.Duration) {
	s, err := m.Connect()
	require.NoError(t, err)
	for range times {
		begun := time.Now()
		_, err := s.Do("INCR counter")
		require.NoError(t, err)
		waited += time.Since(begun)
		time.Sleep(pause)
	}
	return waited
}

// Clients that begin while an entry is on its way soon share one entry with the earlier clients.
func TestClientsGatherForOneEntry(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, m := distant(t, group.Lease)
		defer c.Close()
		const rounds, pause = 100, 100 * time.Microsecond
		before := m.Group().Applied()
		var clients sync.WaitGroup
		for i := range 10 {
			clients.Go(func() {
				time.Sleep(time.Duration(i%2) * time.Millisecond)
				increment(t, m, rounds, pause)
			})
		}
		clients.Wait()
		entries := m.Group().Applied() - before
		require.Less(t, entries, uint64(rounds*13/10), "two groups that take turns need twice as many entries as rounds")
		require.GreaterOrEqual(t, entries, uint64(rounds))
	})
}

// An entry of a cluster of one takes less time than its clients need for their next commands. They share entries, too.
func TestClientsGatherInAClusterOfOne(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 1, Seed: 1, Now: time.Now,
			Prepare: func(n *group.Group) {
				n.ProposeBy(func(apply func()) { time.AfterFunc(50*time.Microsecond, apply) })
			}})
		defer c.Close()
		m := c.Leader()
		time.Sleep(5 * time.Second)
		const rounds = 100
		before := m.Group().Applied()
		var clients sync.WaitGroup
		for i := range 10 {
			clients.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Microsecond)
				increment(t, m, rounds, 250*time.Microsecond)
			})
		}
		clients.Wait()
		require.Less(t, m.Group().Applied()-before, uint64(rounds*13/10),
			"groups that take turns need more entries")
	})
}

// A client that is alone waits for its own entry only, and a crowd that goes away delays the next entry once, and by little.
func TestNobodyWaitsLongForOthers(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, m := distant(t, group.Lease)
		defer c.Close()
		const times = 50
		alone := increment(t, m, times, 0)
		require.Equal(t, alone, increment(t, m, times, 100*time.Microsecond))
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() { increment(t, m, 1, 0) })
		}
		clients.Wait()
		after := increment(t, m, times, 0)
		require.LessOrEqual(t, after-alone, time.Millisecond)
	})
}

// A read that needs a proof does not wait for changes that never come.
func TestAReadAfterAChangeGetsItsProofSoon(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, m := distant(t, group.Quorum)
		defer c.Close()
		s, err := m.Connect()
		require.NoError(t, err)
		for range 20 {
			increment(t, m, 1, 0)
			begun := time.Now()
			_, err := s.Do("GET counter")
			require.NoError(t, err)
			require.LessOrEqual(t, time.Since(begun), 5*time.Millisecond, "messages take a millisecond each way, and a wait for changes another one")
		}
	})
}
