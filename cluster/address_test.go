package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A node that is not listed and listens on every address announces the address from which it reaches the others.
func TestANodeThatIsNotListed(t *testing.T) {
	inWorld(t, 4, func(w *world) {
		listed, m := w.machines[:3], w.machines[3]
		m.change = func(o *Options) { o.Fallback.Host = "" }
		m.start(listed...)
		time.Sleep(10 * time.Second)
		require.Contains(t, m.log.String(), "waiting for")
		for _, other := range listed {
			other.start(listed...)
		}
		w.awaitVoters(w.machines...)
		v := w.leader().View()
		require.Equal(t, m.host, v.Nodes[v.Find(m.id())].Host)

		for _, other := range listed {
			other.stop()
		}
		m.stop()
		m.start(listed...) // it goes on with its disk, and reaches nobody
		time.Sleep(5 * time.Second)
		require.Contains(t, m.State().Waiting, "cluster-announce-ip")
		for _, other := range listed {
			other.start(listed...)
		}
		w.awaitVoters(w.machines...)
		require.Equal(t, m.host, m.View().Nodes[m.View().Self].Host)
	})
}

// A node announces the address of a voter by mistake. It does not join, and the voter stays.
func TestANodeThatAnnouncesTheAddressOfAVoter(t *testing.T) {
	inWorld(t, 4, func(w *world) {
		listed, m := w.machines[:3], w.machines[3]
		w.form(listed...)
		voter := w.other(w.leader())
		m.change = func(o *Options) { o.Announce = voter.at() }
		m.start(listed...)
		time.Sleep(20 * time.Second)
		require.False(t, m.votes())
		require.Contains(t, m.log.String(), "correct cluster-announce-ip")
		w.awaitVoters(listed...)
		require.True(t, voter.votes())
		require.Empty(t, voter.failed.Load())

		m.stop()
		m.change = nil
		m.start(listed...)
		w.awaitVoters(w.machines...)
	})
}
