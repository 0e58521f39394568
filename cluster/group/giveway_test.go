package group_test

import (
	"sync"
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/assert"
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
		require.ErrorContains(t, leader.Group().GiveWay(lagging.Self.ID), "start it, wait 10 seconds if it has just started, or remove it by CLUSTER FORGET")
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

// loserOfTwoTransfers asks two of three nodes to lead at the same time. Raft makes the loser a candidate that has a leader. No
// message of the winner reaches the loser any more.
func loserOfTwoTransfers(t *testing.T, c *clustertest.Cluster) (former, winner, loser *clustertest.Machine) {
	time.Sleep(5 * time.Second)
	former = c.Leader()
	var asked sync.WaitGroup
	for _, m := range c.Machines {
		if m != former {
			asked.Go(func() { assert.NoError(t, former.AskToLead(m)) })
		}
	}
	asked.Wait()
	time.Sleep(50 * time.Millisecond)
	winner = c.Leader()
	require.NotSame(t, former, winner)
	for _, m := range c.Machines {
		if m != former && m != winner {
			loser = m
		}
	}
	c.Network.Cut(winner.Addr(), loser.Addr(), true)
	return former, winner, loser
}

// A candidate that has a leader refuses all votes. The winner is lost, and the loser lacks entries. So nobody but the former
// leader can be elected.
func TestTheLoserOfTwoTransfersVotes(t *testing.T) {
	for seed := range uint64(10) {
		bubble(t, func(t *testing.T, _ func()) {
			c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: seed, Now: time.Now})
			defer c.Close()
			former, winner, loser := loserOfTwoTransfers(t, c)
			c.Network.Isolate(loser.Addr(), true)
			fill(t, c, 5)
			require.NoError(t, winner.Kill())
			time.Sleep(time.Duration(seed) * 200 * time.Millisecond)
			c.Network.Heal()
			require.Same(t, former, c.Leader())
		})
	}
}

// The loser does not hear the winner for more than a NodeTimeout. Its message to itself arrives after it hears the winner again.
// The winner leads on: it may have a lease.
func TestTheLoserOfTwoTransfersDeposesNobody(t *testing.T) {
	for late := range time.Duration(10) {
		bubble(t, func(t *testing.T, _ func()) {
			c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
			defer c.Close()
			_, winner, loser := loserOfTwoTransfers(t, c)
			epoch := winner.Group().Epoch()
			time.Sleep(500 * time.Millisecond)
			c.Network.Slow(loser.Addr(), time.Second)
			time.Sleep(100*time.Millisecond + late*50*time.Millisecond)
			c.Network.Heal()
			time.Sleep(5 * time.Second)
			require.Equal(t, epoch, winner.Group().Epoch(), "it has led all the time")
			fill(t, c, 5)
			c.RequireEqual()
		})
	}
}
