package group_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// fill runs commands on the leader in batches.
func fill(t testing.TB, c *clustertest.Cluster, keys int) {
	t.Helper()
	s, err := c.Leader().Connect()
	require.NoError(t, err)
	defer s.Close()
	for i := range keys {
		_, err := s.Do(fmt.Sprint("SET key:", i, " ", i))
		require.NoError(t, err)
	}
}

// lacksASnapshot makes a cluster of three in which one node is cut off. The log of the leader begins after the entries that this
// node lacks, and a snapshot has them.
func lacksASnapshot(t *testing.T) (c *clustertest.Cluster, lagging *clustertest.Machine) {
	c = clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now, Files: true})
	time.Sleep(5 * time.Second)
	leader := c.Leader()
	require.NoError(t, leader.Group().KeepBehind(10))
	lagging = other(c, leader)
	fill(t, c, 50)
	c.RequireEqual()
	c.Network.Isolate(lagging.Addr(), true)
	fill(t, c, 500)
	require.Equal(t, int64(1), do(t, leader, "DEL key:7"))
	require.NoError(t, leader.Group().TakeSnapshot())
	return c, lagging
}

func TestALaggingNodeGetsASnapshot(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, lagging := lacksASnapshot(t)
		defer c.Close()
		fill(t, c, 5)
		behind := lagging.Group().Applied()
		c.Network.Heal()
		time.Sleep(5 * time.Second)
		require.Len(t, c.RequireEqual(), 499)
		require.Greater(t, lagging.Group().Applied(), behind+500)
		require.Equal(t, 1, lagging.Snapshots(), "it was sent, because the log does not have the entries any more")

		require.NoError(t, lagging.Kill())
		require.NoError(t, lagging.Restart())
		require.Len(t, c.RequireEqual(), 499, "the node starts from the snapshot that it was sent")
		time.Sleep(2 * time.Second) // until it knows the leader
		require.NoError(t, c.Leader().Group().GiveWay(lagging.Self.ID))
		require.Same(t, lagging, c.Leader())
		require.Equal(t, "499", do(t, lagging, "GET key:499"))
	})
}

// TestLateCopiesOfMessages: each message arrives once more, a second later. So a snapshot comes again after the entries that
// the node has confirmed since.
func TestLateCopiesOfMessages(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, lagging := lacksASnapshot(t)
		defer c.Close()
		c.Network.Heal()
		c.Network.SetFaults(clustertest.Faults{Duplicated: 1, Late: time.Second})
		for range 10 {
			fill(t, c, 50)
			time.Sleep(300 * time.Millisecond)
		}
		require.Positive(t, lagging.Snapshots())
		require.Len(t, c.RequireEqual(), 500)
	})
}

func TestReadsByQuorumNeedNoClock(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now, Reads: group.Quorum,
			FrozenClocks: true})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		require.Equal(t, int64(1), do(t, leader, "INCR key"))
		before := leader.Group().Metrics()
		require.Equal(t, "1", do(t, leader, "GET key"))
		after := leader.Group().Metrics()
		require.Equal(t, int64(1), after.Entries-before.Entries, "a majority confirms an entry for the read")
		require.Equal(t, int64(1), after.LeaseMisses-before.LeaseMisses)

		s, err := leader.Connect()
		require.NoError(t, err)
		c.Network.Isolate(leader.Addr(), true)
		_, err = s.Do("GET key")
		require.ErrorIs(t, err, clustertest.ErrClosed)
	})
}

func TestTooManyChangesAreTakenBackByLoadingAllKeys(t *testing.T) {
	for _, snapshot := range []bool{false, true} {
		t.Run(fmt.Sprint("snapshot ", snapshot), func(t *testing.T) {
			bubble(t, func(t *testing.T, _ func()) {
				c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
				defer c.Close()
				time.Sleep(5 * time.Second)
				leader := c.Leader()
				fill(t, c, 100)
				if snapshot {
					require.NoError(t, leader.Group().TakeSnapshot())
				}
				require.Equal(t, int64(1), do(t, leader, "DEL key:7"))
				require.Equal(t, resptest.Simple("OK"), do(t, leader, "SET big "+strings.Repeat("x", 1<<20)))
				kept := c.RequireEqual()
				takesBackTooMuch(t, c, leader)
				require.True(t, maps.Equal(kept, c.RequireEqual()))
				require.Equal(t, int64(1), leader.Replaced(), "all keys were loaded again")
				require.Zero(t, leader.Group().Metrics().Undone)
			})
		})
	}
}

// takesBackTooMuch makes a leader change the key big, which is large, until it cannot take the changes back one by one. No other
// node gets them.
func takesBackTooMuch(t *testing.T, c *clustertest.Cluster, leader *clustertest.Machine) {
	c.Network.Isolate(leader.Addr(), true)
	s, err := leader.Connect()
	require.NoError(t, err)
	_, err = s.Do(slices.Repeat([]string{"SETRANGE big 0 y"}, 70)...) // each undo keeps the whole value before
	require.ErrorIs(t, err, clustertest.ErrClosed)
	time.Sleep(5 * time.Second) // the others elect a leader: a node with a longer log could win
	c.Network.Heal()
	time.Sleep(5 * time.Second)
}

// A node that loads all keys again still knows who came and who was removed after its last snapshot.
func TestANodeThatLoadsAllKeysAgainKnowsWhoTakesPart(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 4, Spares: 1, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader, joins := c.Leader(), c.Machines[4]
		require.NoError(t, leader.Group().TakeSnapshot())
		require.NoError(t, joins.Start())
		require.NoError(t, c.Meet(joins))
		removed := other(c, leader)
		require.NoError(t, leader.Group().Forget(removed.Self.ID))
		require.Equal(t, resptest.Simple("OK"), do(t, leader, "SET big "+strings.Repeat("x", 1<<20)))

		takesBackTooMuch(t, c, leader)
		require.Equal(t, int64(1), leader.Replaced(), "all keys were loaded again")
		require.True(t, leader.Group().IsGone(removed.Self.ID))
		require.True(t, leader.Group().Knows(joins.Self), "and its address for clients")
	})
}

func TestMembersComeAndGo(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Spares: 1, Seed: 1, Now: time.Now, Files: true})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		lost, follower, spare := other(c, leader), c.Machines[0], c.Machines[3]
		for _, m := range c.Machines[:3] {
			if m != leader && m != lost {
				follower = m
			}
		}
		fill(t, c, 100)
		require.Error(t, follower.Group().Forget(lost.Self.ID), "only a leader can")
		require.Error(t, c.Meet(spare), "it does not run")
		require.NoError(t, spare.Start())
		require.NoError(t, c.Meet(spare))
		time.Sleep(time.Second)
		require.Equal(t, 4, leader.Group().View().Voters())
		require.Len(t, c.RequireEqual(), 100)

		require.NoError(t, lost.Kill()) // its disk is lost
		require.NoError(t, leader.Group().Forget(lost.Self.ID))
		time.Sleep(time.Second)
		for _, m := range []*clustertest.Machine{leader, follower, spare} {
			v := m.Group().View()
			require.Equal(t, -1, v.Find(lost.Self.ID))
			require.Equal(t, 3, v.Voters())
			require.Equal(t, spare.Self.Port, v.Nodes[v.Find(spare.Self.ID)].Port, "all know where clients reach it")
		}

		require.NoError(t, leader.Group().GiveWay(spare.Self.ID))
		require.Same(t, spare, c.Leader())
		require.NoError(t, leader.Kill())
		require.Equal(t, int64(1), do(t, spare, "INCR new"), "two of three decide")
		require.Len(t, c.RequireEqual(), 101)
	})
}

// A node that asks to join while it is removed stays removed: its id is never used again.
func TestANodeDoesNotJoinWhileItIsRemoved(t *testing.T) {
	for late := range 40 {
		bubble(t, func(t *testing.T, _ func()) {
			c, leader := distant(t, group.Lease)
			defer c.Close()
			removed := other(c, leader)
			forgotten := make(chan error, 1)
			go func() { forgotten <- leader.Group().Forget(removed.Self.ID) }()
			time.Sleep(time.Duration(late) * 250 * time.Microsecond)
			_, _ = leader.Group().Admit(removed.Self)
			_ = leader.Group().Promote(removed.Self.ID)
			require.NoError(t, <-forgotten)
			time.Sleep(time.Second)
			require.True(t, leader.Group().IsGone(removed.Self.ID))
			require.Equal(t, -1, leader.Group().View().Find(removed.Self.ID),
				"asked %d × 250 µs after the removal began", late)
		})
	}
}

// A leader may be lost while it removes a node. Then either nothing has happened, or the next leader completes the removal.
func TestARemovalIsWholeWithoutItsLeader(t *testing.T) {
	begun := 0
	for late := range 30 {
		bubble(t, func(t *testing.T, _ func()) {
			c, leader := distant(t, group.Lease)
			defer c.Close()
			removed, node := other(c, leader), leader.Group()
			go func() { _ = node.Forget(removed.Self.ID) }()
			time.Sleep(time.Duration(late) * 500 * time.Microsecond)
			require.NoError(t, leader.Kill())
			require.NoError(t, leader.Restart())
			time.Sleep(5 * time.Second)
			next := c.Leader()
			v, gone := next.Group().View(), next.Group().IsGone(removed.Self.ID)
			require.Equal(t, gone, v.Find(removed.Self.ID) < 0, "killed %d × 500 µs after the removal began", late)
			require.Equal(t, gone, next.Group().HasLeft(removed.Self.ID))
			if gone {
				begun++
				require.Equal(t, 2, v.Voters())
			}
		})
	}
	require.NotZero(t, begun, "no leader was lost late enough")
	require.Less(t, begun, 30, "no leader was lost early enough")
}

// The next leader completes a removal of which only the first step is done, as soon as the cluster can do without the node.
// Until then its vote counts, and clients see its address.
func TestTheNextLeaderCompletesARemoval(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, leader := distant(t, group.Lease)
		defer c.Close()
		removed := other(c, leader)
		require.NoError(t, leader.Group().Announce(removed.Self))
		require.NoError(t, leader.Group().MarkGone(removed.Self.ID))
		require.ErrorContains(t, leader.Group().Promote(removed.Self.ID), "never used again")
		require.NoError(t, leader.Kill())
		time.Sleep(5 * time.Second)
		next := c.Leader().Group()
		require.True(t, next.IsGone(removed.Self.ID))
		require.False(t, next.HasLeft(removed.Self.ID), "two of three run, and one alone would be no majority")
		v := next.View()
		require.Equal(t, removed.Self.Port, v.Nodes[v.Find(removed.Self.ID)].Port)
		require.Equal(t, int64(1), do(t, c.Leader(), "INCR key"))

		require.NoError(t, leader.Restart())
		time.Sleep(5 * time.Second)
		require.True(t, c.Leader().Group().HasLeft(removed.Self.ID))
		require.Equal(t, 2, c.Leader().Group().View().Voters())
		require.Equal(t, int64(2), do(t, c.Leader(), "INCR key"))
	})
}

// A node that is marked as removed may lead. It then lets another node lead, and that node completes the removal.
func TestALeaderRemovesItself(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, leader := distant(t, group.Lease)
		defer c.Close()
		require.NoError(t, leader.Group().MarkGone(leader.Self.ID))
		require.Equal(t, int64(1), do(t, leader, "INCR key"))
		time.Sleep(8 * time.Second)
		requireLeft(t, c, leader)
	})
}

// The clients of a leader that is to be removed do not wait for an election.
func TestALeaderIsRemovedWithoutAnElection(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, leader := distant(t, group.Lease)
		defer c.Close()
		require.Equal(t, int64(1), do(t, leader, "INCR key"))
		begun := time.Now()
		require.NoError(t, leader.Group().Forget(leader.Self.ID))
		c.Leader()
		require.Less(t, time.Since(begun), 50*time.Millisecond)
		time.Sleep(5 * time.Second)
		requireLeft(t, c, leader)
	})
}

// requireLeft requires that both other nodes know that a node has left, and that one of them leads.
func requireLeft(t *testing.T, c *clustertest.Cluster, left *clustertest.Machine) {
	next := c.Leader()
	require.NotSame(t, left, next)
	for _, m := range c.Machines {
		if m != left {
			require.True(t, m.Group().HasLeft(left.Self.ID))
			require.Equal(t, 2, m.Group().View().Voters())
		}
	}
	require.Equal(t, int64(2), do(t, next, "INCR key"))
}

// A leader does not remove a node if it would be deposed without that node.
func TestANodeThatIsNeededStays(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c, leader := distant(t, group.Lease)
		defer c.Close()
		needed := other(c, leader)
		for _, m := range c.Machines {
			if m != leader && m != needed {
				require.NoError(t, m.Kill())
			}
		}
		require.ErrorContains(t, leader.Group().Forget(needed.Self.ID), "1 of the other 2 voters answer")
		require.False(t, leader.Group().IsGone(needed.Self.ID))
		require.Equal(t, int64(1), do(t, leader, "INCR key"))
	})
}

// A node does not know that it is removed. It votes for itself for ever, and hears no leader. It deposes none, and leads at no
// time, also while the others have no leader.
func TestARemovedNodeDisturbsNobody(t *testing.T) {
	for late := range time.Duration(5) {
		bubble(t, func(t *testing.T, _ func()) {
			c := clustertest.New(t, clustertest.Options{Nodes: 4, Seed: 1, Now: time.Now})
			defer c.Close()
			time.Sleep(5 * time.Second)
			leader := c.Leader()
			removed, epoch := other(c, leader), leader.Group().Epoch()
			c.Network.Isolate(removed.Addr(), true)
			require.NoError(t, leader.Group().Forget(removed.Self.ID))
			time.Sleep(2*time.Second + late*100*time.Millisecond)
			c.Network.Heal()
			time.Sleep(10 * time.Second)
			require.Equal(t, epoch, leader.Group().Epoch(), "it has led all the time")
			require.False(t, removed.Group().HasLeft(removed.Self.ID), "the node knows nothing of it")
			term := leader.Group().Metrics().Term
			require.NoError(t, leader.Kill())
			next := c.Leader()
			require.NotSame(t, removed, next)
			require.Equal(t, int64(1), do(t, next, "INCR key"))
			require.LessOrEqual(t, next.Group().Metrics().Term, term+2, "elections")
		})
	}
}
