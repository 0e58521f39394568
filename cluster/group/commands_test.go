package group_test

import (
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// ready makes a cluster of nodes that know each other, and returns its leader.
func ready(t *testing.T, nodes int) (*clustertest.Cluster, *clustertest.Machine) {
	c := clustertest.New(t, clustertest.Options{Nodes: nodes, Seed: 1, Now: time.Now})
	m := c.Leader()
	time.Sleep(5 * time.Second)
	return c, m
}

// moveTo makes a machine the leader.
func moveTo(t *testing.T, c *clustertest.Cluster, m *clustertest.Machine) {
	require.NoError(t, c.Leader().Group().GiveWay(m.Self.ID))
	require.Same(t, m, c.Leader())
	time.Sleep(2 * time.Second)
}

// A node checks a rule, and is a follower for some time. When it leads again, it uses the rule in its newest form.
func TestRulesFollowTheLead(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, first := ready(t, 3)
		defer c.Close()
		limitOf := func(m *clustertest.Machine) any { return do(t, m, "CL.CHECK login 192.0.2.1").([]any)[1] }
		second := other(c, first)
		require.Equal(t, resptest.Simple("OK"), do(t, first, "CL.RULE SET login CL.WINDOW 10 60"))
		require.EqualValues(t, 10, limitOf(first))
		moveTo(t, c, second)
		require.EqualValues(t, 10, limitOf(second))
		require.Equal(t, resptest.Simple("OK"), do(t, second, "CL.RULE SET login CL.WINDOW 3 60"))
		moveTo(t, c, first)
		require.EqualValues(t, 3, limitOf(first))
		require.EqualValues(t, 1, do(t, first, "CL.RULE DEL login"))
		require.NoError(t, first.Kill())
		require.ErrorContains(t, do(t, c.Leader(), "CL.CHECK login 192.0.2.1").(error), "no such rule")
	})
}

// All nodes have the same rules with their overrides: those that followed, and one that began with a snapshot. FLUSHALL leaves
// them.
func TestAllNodesHaveTheRules(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, first := ready(t, 3)
		defer c.Close()
		yes := resptest.Simple("OK")
		require.Equal(t, yes, do(t, first, "CL.RULE SET login CL.WINDOW 10 60"))
		require.Equal(t, yes, do(t, first, "CL.RULE OVERRIDE login - vip CL.WINDOW 20 60"))
		second := other(c, first)
		require.NoError(t, second.Group().KeepBehind(0))
		require.NoError(t, second.Group().TakeSnapshot())
		require.NoError(t, second.Kill())
		require.Equal(t, yes, do(t, first, "CL.RULE OVERRIDE login - two 30/minute in windows"))
		require.EqualValues(t, 1, do(t, first, "CL.RULE OVERRIDE login - vip DEL"))
		require.Equal(t, yes, do(t, first, "CL.RULE SET login CL.WINDOW 11 60"))
		require.Equal(t, yes, do(t, first, "FLUSHALL"))
		require.NoError(t, second.Restart())
		time.Sleep(5 * time.Second)
		override := []any{"-", "two", "CL.WINDOW 30 60", "30/minute in windows"}
		want := []any{[]any{"login", "CL.WINDOW 11 60", "key", []any{override}, "", "11/minute in windows"}}
		for _, m := range c.Machines {
			require.Equal(t, want, do(t, m, "CL.RULE LIST"))
		}
		moveTo(t, c, second)
		require.EqualValues(t, 30, do(t, second, "CL.CHECK login two").([]any)[1])
	})
}

func TestFlushAllReachesAllNodes(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, first := ready(t, 3)
		defer c.Close()
		fill(t, c, 20)
		require.Equal(t, resptest.Simple("OK"), do(t, first, "FLUSHALL"))
		require.Empty(t, c.RequireEqual())
		fill(t, c, 5)
		require.Len(t, c.RequireEqual(), 5)

		s, err := first.Connect()
		require.NoError(t, err)
		c.Network.Isolate(first.Addr(), true)
		_, err = s.Do("FLUSHALL")
		require.ErrorIs(t, err, clustertest.ErrClosed, "no majority has it")
		time.Sleep(5 * time.Second) // until another node leads: if the old leader led again, a majority could still get it
		c.Network.Heal()
		require.Len(t, c.RequireEqual(), 5, "nobody else has emptied the database")
	})
}

// WAIT counts the replicas of a majority, which have all writes of the client before WAIT replies.
func TestWaitCountsAMajority(t *testing.T) {
	for nodes, want := range map[int]int{1: 0, 3: 1, 5: 2} {
		bubble(t, func(t *testing.T, _ func()) {
			c, m := ready(t, nodes)
			defer c.Close()
			s, err := m.Connect()
			require.NoError(t, err)
			replies, err := s.Do("SET k 1", "WAIT 9 0")
			require.NoError(t, err)
			require.EqualValues(t, want, replies[1])
			if nodes == 1 {
				return
			}
			require.ErrorContains(t, do(t, other(c, m), "WAIT 1 0").(error), "WAIT cannot be used with replica")
			c.Network.Isolate(m.Addr(), true)
			_, err = s.Do("SET k 2", "WAIT 1 100")
			require.ErrorIs(t, err, clustertest.ErrClosed)
		})
	}
}

func TestOtherDatabasesAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, m := ready(t, 3)
		defer c.Close()
		for _, command := range []string{"SWAPDB 0 1", "SELECT 1", "MOVE k 1", "COPY k {k}l DB 1"} {
			require.Implements(t, (*error)(nil), do(t, m, command), command)
		}
	})
}
