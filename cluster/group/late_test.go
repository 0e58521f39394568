package group_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// A command changes a key that has an expiry, and its batch waits behind a full one for so long that the key expires
// meanwhile. The other nodes must not remove the key before they have the batch: they would make it again, without expiry.
func TestAKeyThatExpiresWhileItsBatchWaits(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		var gate gate
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now,
			Prepare: gate.install})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		do(t, leader, "ZADD key 1 before")
		do(t, leader, "PEXPIRE key 50")

		open := gate.shut()
		var clients sync.WaitGroup
		later := func(command string) {
			clients.Go(func() { do(t, leader, command) })
			time.Sleep(time.Millisecond)
		}
		later("INCR first")
		for range 33 { // one batch has room for all but the last of them
			later("MSET" + sameSlot(128))
		}
		later("ZADD key 2 after")
		time.Sleep(400 * time.Millisecond)
		open()
		clients.Wait()
		require.NotContains(t, c.RequireEqual(), "0 key")
		require.Same(t, leader, c.Leader())
		require.Zero(t, leader.Group().Metrics().Undone)
	})
}

// sameSlot returns words for MSET: keys of one slot.
func sameSlot(keys int) (words string) {
	for i := range keys {
		words += fmt.Sprint(" {slot}", i, " x")
	}
	return words
}

// A command reads the clock, and gets its keys so late that other nodes may have removed them. Its effects must not count.
func TestASlowCommandOnAnExpiredKeyEndsTheEpoch(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5*time.Second + 20*time.Millisecond)
		leader := c.Leader()
		do(t, leader, "SET key 1 PX 50")
		before := leader.Group().Metrics()
		change(leader, "key", leader.Group().Now())
		now := leader.Group().Now()
		time.Sleep(160 * time.Millisecond)
		do(t, leader, "INCR other")
		require.Contains(t, leader.Keys(now), "0 key", "nobody has removed it")
		change(leader, "key", now)
		time.Sleep(5 * time.Second)
		after := leader.Group().Metrics()
		require.Equal(t, before.EpochChanges+2, after.EpochChanges)
		require.Equal(t, before.Undone+1, after.Undone)
		require.Len(t, c.RequireEqual(), 1)
	})
}
