package group_test

import (
	"log/slog"
	"testing"

	"cellserver/cluster/group"
	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// fixedClock always shows the same time.
type fixedClock int64

func (c fixedClock) Now() int64         { return int64(c) }
func (c fixedClock) Monotonic() int64   { return int64(c) }
func (fixedClock) Continue(int64) int64 { return 0 }

// A group that has not started, or still loads its disk, leads nobody, shows the time of the machine and
// writes no snapshot.
func TestAGroupBeforeItsStart(t *testing.T) {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	g := group.New(group.Options{
		Self: topology.Node{ID: "a", Host: "h", Healthy: true}, Store: s, Clock: fixedClock(7),
		Log:    slog.New(slog.DiscardHandler),
		Failed: func(err error) { t.Error(err) },
	})
	s.Observe(g)
	tx := s.NewTx()
	tx.BeginAll(7, 0)
	e := tx.Write([]byte("a"))
	e.SetInt(1, store.NoExpiry)
	tx.End()
	require.ErrorIs(t, g.TakeSnapshot(), group.ErrBusy)
	require.Equal(t, []int64{7, 0}, []int64{g.Now(), g.Horizon()})
	require.Zero(t, g.Epoch())
	require.True(t, g.Wait(g.Mark()))
	v := g.View()
	require.Equal(t, topology.Joining, v.State)
	require.Nil(t, v.Leader())
	require.Equal(t, []topology.Node{{ID: "a", Host: "h", Features: group.FeatureLevel, Healthy: true}},
		v.Nodes)
	require.NoError(t, g.Close())
}
