package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/cluster/roster"

	"github.com/stretchr/testify/require"
)

// Nodes with the same list form a cluster once, and what the leader has acknowledged is on all of them. A node that was
// stopped catches up.
func TestNodesFormAndHoldTheSameKeys(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		first := w.leader()
		require.NoError(t, first.set("a", 1))
		w.awaitKey("a", 1)
		require.ErrorIs(t, w.other(first).set("a", 2), errNotServed)
		first.stopsSoon(3 * time.Second)
		second := w.leader()
		require.NoError(t, second.set("a", 2))
		first.start(w.machines...)
		w.awaitVoters(w.machines...)
		w.awaitKey("a", 2)
		require.Positive(t, first.views.Load())
	})
}

// A leader that is cut off serves nobody, and what only it had is taken back.
func TestACutOffLeader(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		first := w.leader()
		require.NoError(t, first.set("a", 1))
		w.net.cut(first.host, true)
		require.ErrorIs(t, first.set("a", 2), errNotServed)
		w.eventually("nobody else leads", func() bool {
			m := w.leader()
			return m != first && m.set("a", 3) == nil
		})
		w.net.cut(first.host, false)
		w.awaitVoters(w.machines...)
		w.awaitKey("a", 3)
	})
}

// A node without its directory, and a node after a power cut, return as new nodes. The old ones are gone.
func TestANodeReturnsAsANewOne(t *testing.T) {
	for name, lose := range map[string]func(m *machine){
		"lost directory": func(m *machine) { require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "raft"))) },
		"power cut":      func(m *machine) { m.loseClean() },
		"three power cuts": func(m *machine) {
			m.w.net.cut(m.host, true)
			for range 2 {
				m.loseClean()
				m.boot++
				m.start(m.w.machines...)
				time.Sleep(time.Second)
				m.stop()
			}
			m.loseClean()
			m.w.net.cut(m.host, false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 3, func(w *world) {
				w.form(w.machines...)
				require.NoError(t, w.leader().set("a", 1))
				m := w.other(w.leader())
				before := m.View()
				m.stop()
				lose(m)
				m.boot++
				m.start(w.machines...)
				w.awaitVoters(w.machines...)
				w.awaitKey("a", 1)
				now := m.View()
				require.NotEqual(t, before.Nodes[before.Self].ID, now.Nodes[now.Self].ID)
				w.eventually("the old directory remains", func() bool {
					all, err := os.ReadDir(m.dir)
					require.NoError(t, err)
					return len(all) == 1
				})
			})
		})
	}
}

// Each node knows the ports for TLS of the others, also while one of them does not answer.
func TestNodesKnowThePortsForTLS(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		for i, m := range w.machines[:2] {
			m.change = func(o *Options) { o.TLSPort = 7000 + i }
		}
		w.form(w.machines...)
		know := func(some ...*machine) {
			w.eventually("a node does not know the ports for TLS", func() bool {
				for _, m := range some {
					ports := map[string]int{}
					for _, n := range m.View().Nodes {
						ports[n.Host] = n.TLSPort
					}
					if ports["node0"] != 7000 || ports["node1"] != 7001 || ports["node2"] != 0 {
						return false
					}
				}
				return true
			})
		}
		know(w.machines...)
		gone := w.machines[0]
		gone.stop()
		w.leader()
		know(w.machines[1:]...)
		require.NoError(t, gone.build(w.machines...))
		require.Nil(t, gone.taking())
		require.Equal(t, 7000, gone.hello().TLSPort, "it answers before it takes part again")
		require.NoError(t, gone.begin())
		w.awaitVoters(w.machines...)
		know(w.machines...)
	})
}

// A person on call sees by how much the clocks differ, how large the log is, and that a snapshot fails.
func TestNumbersForAPersonOnCall(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		leader := w.leader()
		require.NoError(t, leader.set("a", 1))
		before := leader.Metrics()
		require.Positive(t, before.LogBytes)
		require.Zero(t, before.Skew)
		require.False(t, before.LogGrows)

		w.other(leader).skew.Store(int64(-300 * time.Millisecond))
		time.Sleep(3 * time.Second)
		require.InDelta(t, 300*time.Millisecond, leader.Metrics().Skew, float64(10*time.Millisecond))
		require.NoError(t, leader.set("b", 2))
		require.Greater(t, leader.Metrics().LogBytes, before.LogBytes)

		snapshots := filepath.Join(leader.dir, "raft", "snapshots")
		require.NoError(t, os.RemoveAll(snapshots))
		require.NoError(t, os.WriteFile(snapshots, nil, 0o600))
		require.NoError(t, leader.Snapshot())
		w.eventually("the failure is not shown", func() bool { return leader.Metrics().LogGrows })
		require.Contains(t, roster.Describe(leader.State()), "make room on the disk")
		require.NoError(t, os.Remove(snapshots))
		w.eventually("the next snapshot does not end the failure", func() bool { return leader.Snapshot() == nil && !leader.Metrics().LogGrows })
		require.NotContains(t, roster.Describe(leader.State()), "make room on the disk")
	})
}

// Raft waits for up to 10 s before it asks a node again that was silent. Until then the node answers, and lacks entries.
func TestTheCheckNamesANodeThatHasJustStarted(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		leader := w.leader()
		other := w.other(leader)
		require.NoError(t, other.Snapshot(), "so it does not begin at entry 0")
		time.Sleep(3 * time.Second)
		require.Contains(t, roster.Describe(leader.State()), "all nodes answer and are up to date")
		other.stop()
		time.Sleep(2 * time.Minute)
		require.NoError(t, leader.set("a", 1))
		other.start(w.machines...)
		wait := "wait for " + other.at().Client() + ": it is "
		text := ""
		w.eventually("the node does not answer", func() bool {
			text = roster.Describe(leader.State())
			return !strings.Contains(text, "it has not answered")
		})
		require.Contains(t, text, wait, "already after its first answer")
		w.awaitKey("a", 1)
		w.eventually("the check names the node for ever", func() bool {
			return strings.Contains(roster.Describe(leader.State()), "all nodes answer and are up to date")
		})
	})
}

// The check says why a node does not answer: the node may run, and have another secret or a certificate that others refuse.
func TestTheCheckSaysWhyANodeDoesNotAnswer(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		leader := w.leader()
		other := w.other(leader)
		other.stop()
		other.change = func(o *Options) { o.Security.Secret = []byte("0123456789abcdeg") }
		require.NoError(t, other.build(w.machines...))
		require.NoError(t, other.begin())
		w.eventually("the check does not say why", func() bool {
			return strings.Contains(roster.Describe(leader.State()), "its cluster-secret differs: set the same cluster-secret on every node)")
		})
	})
}
