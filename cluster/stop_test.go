package cluster

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stopsSoon stops a machine as the server does, and requires that it takes little virtual time.
func (m *machine) stopsSoon(limit time.Duration) {
	m.w.t.Helper()
	begun := time.Now()
	m.GiveWay()
	m.stop()
	require.LessOrEqual(m.w.t, time.Since(begun), limit)
}

// A node stops in a bounded time in every state.
func TestStopTakesABoundedTime(t *testing.T) {
	const soon = 3 * time.Second // two tries to give way
	for name, test := range map[string]func(w *world){
		"a node that waits for the others": func(w *world) {
			w.machines[0].start(w.machines...)
			time.Sleep(time.Minute)
			w.machines[0].stopsSoon(soon)
		},
		"a leader, and then the next one": func(w *world) {
			w.form(w.machines...)
			w.leader().stopsSoon(soon)
			w.leader().stopsSoon(soon)
		},
		"a leader that is cut off": func(w *world) {
			w.form(w.machines...)
			m := w.leader()
			w.net.cut(m.host, true)
			m.stopsSoon(soon)
		},
		"a leader whose connections do not move": func(w *world) {
			w.form(w.machines...)
			m := w.leader()
			follower := w.other(m)
			flow := w.net.stall("")
			defer flow()
			time.Sleep(20 * time.Millisecond)
			m.stopsSoon(soon)
			follower.stopsSoon(soon)
		},
		"a leader in the middle of CLUSTER MEET": func(w *world) {
			w.form(w.machines...)
			m, met := w.leader(), make(chan error)
			go func() {
				other := w.machines[0].at()
				other.Host = "nowhere"
				met <- m.Meet(other)
			}()
			require.Error(w.t, <-met)
			w.net.listen("deaf:16379")
			go func() { met <- m.Meet((&machine{host: "deaf"}).at()) }()
			time.Sleep(time.Second)
			m.stopsSoon(soon)
			require.Error(w.t, <-met)
		},
		"a node that cannot write its term": func(w *world) {
			broken := &files{}
			w.machines[1].change = func(o *Options) { o.Disk.FS = broken }
			w.form(w.machines...)
			m := w.machines[1]
			broken.breakDown(filepath.Join("raft", "stable"))
			for !strings.Contains(m.log.String(), "this node leaves the cluster") { // elections make new terms
				if leader := w.leader(); leader != m {
					leader.GiveWay()
				} else {
					m.GiveWay()
				}
				time.Sleep(2 * time.Second)
			}
			m.stopsSoon(soon)
		},
	} {
		t.Run(name, func(t *testing.T) { inWorld(t, 3, test) })
	}
}
