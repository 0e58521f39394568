package group_test

import (
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// change sets a key in the store of a machine, as a command that has read the clock at now does.
func change(m *clustertest.Machine, key string, now int64) {
	var keys store.Footprint
	keys.AddKey([]byte(key))
	tx := m.Store().NewTx()
	tx.Begin(now, 0, &keys)
	defer tx.End()
	e := tx.Peek([]byte(key))
	e.SetInt(2, e.ExpireAt())
}

// An epoch begins after the mark of a turn, and commands of the turn run in it. Their replies wait for a majority.
func TestAnEpochBeginsInATurn(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		next := other(c, leader).Group()
		outside := next.Mark()
		safe, now := next.Later(1, outside, nil)
		require.Equal(t, []bool{true, true}, []bool{safe, now}, "a follower has answered from what is committed")
		require.NoError(t, leader.Group().GiveWay(next.Self().ID))
		m := c.Leader()
		require.Same(t, next, m.Group())

		c.Network.Isolate(m.Addr(), true)
		change(m, "key", next.Now())
		result := make(chan bool, 1)
		_, now = next.Later(next.Begun(), outside, func(safe bool) { result <- safe })
		require.False(t, now, "no majority has the change")
		require.False(t, <-result)
		safe, now = next.Later(1, outside, nil)
		require.Equal(t, []bool{false, true}, []bool{safe, now}, "the epoch of these commands has ended")
		c.Network.Heal()
		c.RequireEqual() // with the change or without it
	})
}
