package group_test

import (
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// healthy returns which machines are healthy in the view of one.
func healthy(c *clustertest.Cluster, m *clustertest.Machine) (all []bool) {
	v := m.Group().View()
	for _, other := range c.Machines {
		all = append(all, v.Nodes[v.Find(other.Self.ID)].Healthy)
	}
	return all
}

func TestALeaderWithAWrongClockGivesWay(t *testing.T) {
	for name, skew := range map[string]time.Duration{"later": 700 * time.Millisecond, "earlier": -700 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ func()) {
				c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
				defer c.Close()
				time.Sleep(5 * time.Second)
				first := c.Leader()
				first.SetSkew(skew * 6 / 10)
				time.Sleep(10 * time.Second)
				require.Same(t, first, c.Leader(), "within the limit")
				first.SetSkew(skew)
				time.Sleep(3 * time.Second)
				second := c.Leader()
				require.NotSame(t, first, second)
				time.Sleep(time.Minute)
				require.Same(t, second, c.Leader(), "the others agree")
				require.Equal(t, "1", do(t, second, "INCRBYFLOAT key 1"))
			})
		})
	}
}

// A clock that was ahead by an hour moves the time of the log. The next leader has the right clock, and the time goes on evenly.
func TestTimeGoesOnAfterAClockThatWasAhead(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5500 * time.Millisecond)
		first := c.Leader()
		first.SetSkew(time.Hour)
		fill(t, c, 5)
		time.Sleep(10 * time.Second)
		next := c.Leader()
		require.NotSame(t, first, next)
		first.SetSkew(0)
		fill(t, c, 5)
		require.Greater(t, time.Duration(next.Group().Now()-servertest.Start), time.Hour)
		for range 3 {
			before := next.Group().Now()
			time.Sleep(time.Minute)
			require.Equal(t, time.Minute, time.Duration(next.Group().Now()-before))
			require.NoError(t, next.Group().GiveWay(""))
			time.Sleep(time.Second)
			next = c.Leader()
		}
		fill(t, c, 5)
		c.RequireEqual()
	})
}

func TestOneWrongClockOfTwoMovesNobody(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		first := c.Leader()
		skew := 700 * time.Millisecond
		for _, m := range c.Machines {
			if m != first { // one is later, one is earlier: the leader is in the middle
				m.SetSkew(skew)
				skew = -skew
			}
		}
		time.Sleep(time.Minute)
		require.Same(t, first, c.Leader())
	})
}

func TestTheLeaderKnowsWhoReplies(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		first := c.Leader()
		all := []bool{true, true, true}
		require.Equal(t, all, healthy(c, first))
		for i, m := range c.Machines {
			if m == first {
				continue
			}
			without := []bool{true, true, true}
			without[i] = false
			c.Network.Isolate(m.Addr(), true)
			time.Sleep(2 * time.Second)
			require.Equal(t, without, healthy(c, first))
			c.Network.Isolate(m.Addr(), false)
			time.Sleep(5 * time.Second)
			require.Same(t, first, c.Leader())
			require.Equal(t, all, healthy(c, first))
		}
		require.NoError(t, first.Group().GiveWay(""))
		time.Sleep(2 * time.Second)
		require.Equal(t, all, healthy(c, c.Leader()), "a new leader knows nothing bad")
	})
}
