package cluster

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// healthyAt reports whether a machine shows a node as healthy.
func (m *machine) healthyAt(id string) bool {
	v := m.View()
	return v.Nodes[v.Find(id)].Healthy
}

// A leader that was replaced for its silence is no replica for clients, from the moment on in which another node leads. It is
// one again when it answers.
func TestAReplacedLeaderIsDeadUntilItAnswers(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		for range 5 {
			w.awaitVoters(w.machines...)
			time.Sleep(3*time.Second + 170*time.Millisecond) // the moment of the next question varies
			leader := w.leader()
			id, left := leader.id(), w.other(leader)
			flow := w.net.stall(leader.host)
			for _, m := range []*machine{left, w.other(leader, left)} {
				for v := m.View(); v.Nodes[v.LeaderOf(0)].ID == id; v = m.View() {
					time.Sleep(time.Millisecond)
				}
				synctest.Wait()
				require.False(t, m.healthyAt(id))
			}
			flow()
			w.eventually("the replaced leader stays dead", func() bool { return left.healthyAt(id) })
		}
	})
}

// A leader that gives way as planned stays a replica for clients.
func TestALeaderThatGivesWayStaysHealthy(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		for range 5 {
			leader := w.leader()
			next := w.other(leader)
			require.ErrorContains(t, leader.Failover(), "leads already")
			w.eventually("the other node may not lead", func() bool { return next.Failover() == nil })
			w.eventually("the other node does not lead", func() bool { return next.Epoch() != 0 })
			time.Sleep(50 * time.Millisecond)
			for _, m := range w.machines {
				require.True(t, m.healthyAt(leader.id()))
			}
		}
	})
}
