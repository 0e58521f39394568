package group_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

	"github.com/stretchr/testify/require"
)

// gate makes an entry of one of the nodes come late to raft.
type gate struct {
	next atomic.Pointer[chan struct{}] // the next entry waits for it
}

// install makes the entries of a node pass the gate.
func (g *gate) install(n *group.Group) {
	n.ProposeBy(func(apply func()) {
		ch := g.next.Swap(nil)
		if ch == nil {
			apply()
			return
		}
		go func() {
			<-*ch
			apply()
		}()
	})
}

// shut makes the next entry wait until open is called.
func (g *gate) shut() (open func()) {
	ch := make(chan struct{})
	g.next.Store(&ch)
	return func() { close(ch) }
}

// staleEntry makes a leader propose an entry of an older epoch: the leader takes a batch, and gets no CPU before raft has
// it. Meanwhile another node leads, and clients write there. Then the first node leads again. It returns what is wrong with
// the key that both have written; "" if nothing is.
func staleEntry(t *testing.T, prepare func(*group.Group)) (wrong string) {
	bubble(t, func(t *testing.T, _ func()) {
		var gate gate
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now,
			Prepare: func(n *group.Group) {
				prepare(n)
				gate.install(n)
			}})
		defer c.Close()
		time.Sleep(5 * time.Second) // after the start nodes may depose each other
		first := c.Leader()
		second := c.Machines[0]
		if second == first {
			second = c.Machines[1]
		}
		require.Equal(t, int64(1), do(t, first, "INCR key"))

		open := gate.shut()
		s, err := first.Connect()
		require.NoError(t, err)
		lost := make(chan error)
		go func() {
			_, err := s.Do("INCR key")
			lost <- err
		}()
		time.Sleep(100 * time.Millisecond)
		require.Nil(t, gate.next.Load(), "the entry waits")
		require.NoError(t, first.Group().GiveWay(second.Self.ID))
		require.ErrorIs(t, <-lost, clustertest.ErrClosed)
		require.Same(t, second, c.Leader())
		for i := range 3 {
			require.Equal(t, int64(i+2), do(t, second, "INCR key"))
		}
		require.NoError(t, second.Group().GiveWay(first.Self.ID))
		time.Sleep(100 * time.Millisecond)
		open()
		time.Sleep(100 * time.Millisecond)
		require.Same(t, first, c.Leader())
		c.RequireEqual()
		if got := do(t, first, "GET key"); got != "4" {
			wrong = fmt.Sprint("4 increments were confirmed, and the key has ", got)
		}
	})
	return wrong
}

// do runs one command on a machine, and returns its reply.
func do(t testing.TB, m *clustertest.Machine, command string) any {
	t.Helper()
	s, err := m.Connect()
	require.NoError(t, err)
	defer s.Close()
	replies, err := s.Do(command)
	require.NoError(t, err, "%v", replies)
	return replies[len(replies)-1]
}

func TestEntriesOfOlderEpochsDoNotCount(t *testing.T) {
	require.Empty(t, staleEntry(t, func(*group.Group) {}))
	require.NotEmpty(t, staleEntry(t, (*group.Group).SkipTerms), "nodes that apply entries of every term")
}
