package group_test

import (
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// The votes for the next leader come after raft has given up the transfer. That is no failure: the other node leads.
func TestATransferThatTakesLongIsNoFailure(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		next := other(c, leader)
		c.Network.Slow(leader.Addr(), 505*time.Millisecond)
		require.NoError(t, leader.Group().GiveWay(next.Self.ID))
		require.Zero(t, leader.Group().Epoch())
		c.Network.Heal()
		time.Sleep(5 * time.Second)
		require.NotSame(t, leader, c.Leader())
	})
}

// A leader continues to serve until the next one has its entries. So a transfer to a node that lags costs clients no
// time.
func TestALeaderServesUntilTheNextOneHasItsEntries(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		lagging := other(c, leader)
		c.Network.Isolate(lagging.Addr(), true)
		fill(t, c, 50)
		require.ErrorContains(t, leader.Group().GiveWay(lagging.Self.ID), "gets no data")
		require.Same(t, leader, c.Leader())
		require.NotZero(t, leader.Group().Epoch(), "it has served on")

		failed := make(chan error, 1)
		go func() { failed <- leader.Group().GiveWay(lagging.Self.ID) }()
		time.Sleep(100 * time.Millisecond)
		require.Equal(t, int64(1), do(t, leader, "INCR key"), "it serves while the other one catches up")
		c.Network.Heal()
		require.NoError(t, <-failed)
		require.Same(t, lagging, c.Leader())
	})
}

// A transfer to a node that is lost at this moment fails, and the leader serves again soon.
func TestALeaderServesSoonAfterAFailedTransfer(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		next := other(c, leader)
		begun := time.Now()
		failed := make(chan error, 1)
		go func() { failed <- leader.Group().GiveWay(next.Self.ID) }()
		for leader.Group().Epoch() != 0 {
			time.Sleep(10 * time.Microsecond)
		}
		c.Network.Isolate(next.Addr(), true)
		require.Error(t, <-failed)
		require.Same(t, leader, c.Leader())
		require.Less(t, time.Since(begun), time.Second)
	})
}
