package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/cluster/group"
	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

// id returns the id of a machine's node.
func (m *machine) id() string {
	v := m.View()
	return v.Nodes[v.Self].ID
}

// forgets waits until a node that was removed knows it.
func (w *world) forgets(m *machine) {
	w.t.Helper()
	w.eventually("the node does not know that it was removed", func() bool { return m.View().State == topology.Down && m.place.isForgotten() })
	require.Contains(w.t, m.State().Waiting, "CLUSTER FORGET")
	require.Positive(w.t, m.failed.Load(), "the server refuses writes, and says why")
	time.Sleep(time.Minute)
	require.Equal(w.t, -1, w.leader().View().Find(m.id()), "it does not come back by itself")
	require.Equal(w.t, topology.Down, m.View().State)
}

// A node with another id answers at the address of a lost one. It must not count as the lost one.
func TestAnotherNodeDoesNotAnswerForALostOne(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		leader := w.leader()
		v := leader.View()
		k := v.Nodes[v.Find(w.other(leader).id())]
		applied, err := leader.appliedBy(k)
		require.NoError(t, err)
		require.Positive(t, applied)
		k.ID = "lost"
		_, err = leader.appliedBy(k)
		require.ErrorIs(t, err, group.ErrOtherNode)
		leader.place.standing.Cluster = "another"
		_, err = leader.appliedBy(k)
		require.ErrorContains(t, err, "not the address of node lost any more")
	})
}

// Two of three nodes come back without their disks, and replace themselves as long as the leader lives.
func TestTwoLostDisksBesideALeader(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		leader := w.leader()
		require.NoError(t, leader.set("a", 1))
		var lost []*machine
		for _, m := range w.machines {
			if m != leader {
				lost = append(lost, m)
				m.stop()
				require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "raft")))
			}
		}
		for _, m := range lost {
			m.start(w.machines...)
		}
		w.eventually("they do not vote", func() bool { return lost[0].votes() && lost[1].votes() })
		leader.stop()
		w.eventually("nobody leads", func() bool { return lost[0].Epoch()+lost[1].Epoch() != 0 })
		w.awaitKey("a", 1)
	})
}

// votes reports whether a machine knows that it votes.
func (m *machine) votes() bool {
	v := m.View()
	return v.Nodes[v.Self].Voter
}

// A node that was removed while it runs, or while it is down, serves nobody and says why. It also stays away after a
// restart. CLUSTER MEET takes it back as a new node.
func TestForgottenNodes(t *testing.T) {
	for _, down := range []bool{false, true} {
		inWorld(t, 3, func(w *world) {
			w.form(w.machines...)
			m := w.other(w.leader())
			require.NoError(t, w.leader().set("a", 1))
			w.awaitKey("a", 1)
			id := m.id()
			m.snapshots.from.Store(1 << 40) // of a large log
			m.snapshots.failed.Store(true)
			if down {
				m.stop()
			}
			require.NoError(t, w.leader().Forget(id))
			if down {
				m.start(w.machines...)
			}
			w.forgets(m)
			require.Zero(t, m.snapshots.from.Load(), "the next log is empty")
			require.False(t, m.snapshots.failed.Load())
			require.ErrorIs(t, m.Meet(w.machines[0].at()), errNoPlace)
			m.stopsSoon(time.Second)
			require.NoError(t, w.leader().set("a", 2))
			m.start(w.machines...)
			time.Sleep(time.Minute)
			require.Equal(t, 2, w.leader().View().Voters())
			require.True(t, m.place.isForgotten(), "also after a restart")

			require.NoError(t, w.leader().Meet(m.at()))
			w.awaitVoters(w.machines...)
			w.awaitKey("a", 2)
			require.NotEqual(t, id, m.id())
			_, err := w.leader().group.Load().Admit(topology.Node{ID: id, Host: "nowhere", Port: 1,
				PeerPort: 2})
			require.ErrorContains(t, err, "its id is never used again")
			m.stop()
			m.start(w.machines...)
			w.awaitVoters(w.machines...)
		})
	}
}

// A node that was removed before it got an entry knows no other node of the cluster. It learns of its removal from the leader
// that it asks for a vote.
func TestANodeIsForgottenBeforeItsFirstEntry(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines[:2]...)
		leader, m := w.leader(), w.machines[2]
		k := leader.nodeAt(strings.Repeat("a", 40), m.at())
		_, err := leader.group.Load().Admit(k)
		require.NoError(t, err)
		require.NoError(t, leader.Forget(k.ID))
		require.NoError(t, m.build(w.machines[:2]...))
		_, err = m.disk().open()
		require.NoError(t, err)
		require.NoError(t, m.disk().save(k.ID, leader.place.cluster()))
		require.NoError(t, m.disk().openLog())
		require.NoError(t, m.disk().logs.SetUint64([]byte("CurrentTerm"), 2))
		require.NoError(t, m.disk().logs.Close())
		m.start(w.machines[:2]...)
		w.forgets(m)
		require.NoError(t, w.leader().Meet(m.at()))
		w.awaitVoters(w.machines...)
		require.NotEqual(t, k.ID, m.id())
	})
}

// CLUSTER FORGET with the id of the leader lets another node lead, and that node removes the leader.
func TestTheLeaderIsForgotten(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		m := w.leader()
		require.NoError(t, m.set("a", 1))
		require.NoError(t, w.other(m).Forget(m.id()))
		w.forgets(m)
		require.NotSame(t, m, w.leader())
		require.NoError(t, w.leader().set("a", 2))
		require.Equal(t, 2, w.leader().View().Voters())
	})
}

// CLUSTER MEET may come before the node knows that it was removed. Meanwhile its log grows, and the node checks the
// size of the log.
func TestANodeIsInvitedAtOnce(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		m := w.other(w.leader())
		for range 5 {
			id := m.id()
			require.NoError(t, w.leader().Forget(id))
			require.NoError(t, w.leader().Meet(m.at()))
			w.awaitVoters(w.machines...)
			require.NotEqual(t, id, m.id())
			time.Sleep(330 * time.Millisecond)
		}
	})
}

// A node is taken back in the process in which it learned that it was removed. What it had before is gone.
func TestAForgottenNodeIsTakenBackAtOnce(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		m := w.other(w.leader())
		require.NoError(t, w.leader().set("a", 1))
		require.NoError(t, w.leader().set("b", 1))
		w.awaitKey("b", 1)
		for range 3 {
			require.NoError(t, w.leader().Forget(m.id()))
			w.forgets(m)
			require.NoError(t, w.leader().set("a", 2))
			require.NoError(t, w.leader().group.Load().TakeSnapshot())
			require.NoError(t, w.leader().Meet(m.at()))
			w.awaitVoters(w.machines...)
			w.awaitKey("a", 2)
			require.Zero(t, m.failed.Load(), "the server is told that all is well")
		}
		require.EqualValues(t, 1, m.get("b"))
		require.NoError(t, m.Failover())
		w.eventually("it does not lead", func() bool { return m.Epoch() != 0 })
		require.NoError(t, m.set("a", 3))
		w.awaitKey("a", 3)
	})
}

// CLUSTER MEET reaches a node whose port for nodes is not that of clients plus 10000, and clients learn its
// true ports.
func TestMeetANodeWithAnotherPeerPort(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines[:2]...)
		require.NoError(t, w.leader().set("a", 1))
		m := w.machines[2]
		m.peerPort = 17000
		m.start()
		require.NoError(t, w.leader().Meet(m.at()))
		w.awaitVoters(w.machines...)
		w.awaitKey("a", 1)
		v := w.leader().View()
		require.Equal(t, m.at(), v.Nodes[v.Find(m.id())].Address())
	})
}
