package group_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

	"github.com/stretchr/testify/require"
)

// newest is the level of the newest programs. They have the forms of this release.
const newest = group.FeatureLevel + 1

// upgrade installs the newest program on one machine after the other, between faults. Some machines get the program of level
// `old` again before the last machine has the newest one. After that the level rises.
func (w *world) upgrade(old int) {
	order := w.random.Perm(len(w.Machines))
	for at := 0; at < len(order); {
		require.Less(w.t, w.Leader().Group().Level(), uint16(newest))
		w.install(w.Machines[order[at]], newest)
		at++
		if back := w.random.IntN(at); at < len(order) && w.random.IntN(3) == 0 {
			w.install(w.Machines[order[back]], old)
			order[back], order[at-1] = order[at-1], order[back]
			at--
		}
		w.random.Shuffle(len(order)-at, func(i, j int) { order[at+i], order[at+j] = order[at+j], order[at+i] })
	}
	for range 100 {
		if w.Leader().Group().Level() == newest {
			w.count("level risen")
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	require.Fail(w.t, "the level does not rise")
}

// install replaces the program of a machine. Then a fault happens.
func (w *world) install(m *clustertest.Machine, level int) {
	ways := []func() error{m.Stop, m.Kill, func() error { return m.PowerCut(w.random) }}
	for _, one := range w.Machines {
		require.NoError(w.t, one.Failure())
	}
	w.count(fmt.Sprint("installed ", level))
	require.NoError(w.t, ways[w.random.IntN(len(ways))]())
	time.Sleep(time.Duration(w.random.Int64N(int64(2 * time.Second))))
	m.Install(level)
	require.NoError(w.t, m.Restart())
	time.Sleep(time.Duration(w.random.Int64N(int64(2 * time.Second))))
	f := allFaults[w.random.IntN(len(allFaults))]
	w.count(f.name)
	f.strike(w, w.Leader(), time.Duration(w.random.Int64N(int64(2*time.Second))))
	w.progress()
}

// TestARollingUpgrade: the test replaces programs of old levels one after the other, while clients write and faults happen.
// The old programs refuse newer forms, so the test fails if a leader writes one too early. At the end the stores are equal,
// and the histories are right.
func TestARollingUpgrade(t *testing.T) {
	progress := clustertest.Watchdog(t)
	for i := range 2 * seeds(t) {
		seed := first(t) + uint64(i)
		const level = group.FeatureLevel
		t.Run(fmt.Sprint("SEED=", seed), func(t *testing.T) {
			t.Parallel()
			require.Empty(t, run(t, progress, worldOptions{
				Options: clustertest.Options{Nodes: 3, Seed: seed, Window: 1 + int(seed%3), Files: seed%4 < 2, Level: level},
				clients: 6, lasts: lasting(t), mixed: seed%2 == 0, before: func(w *world) { w.upgrade(level) },
			}))
		})
	}
}

// TestAnOldProgramAfterAnUpgrade: a program of a lower level refuses the log and the snapshots of the cluster. The cluster
// continues without it. The newest program continues with the same disk.
func TestAnOldProgramAfterAnUpgrade(t *testing.T) {
	for _, snapshot := range []bool{false, true} {
		bubble(t, func(t *testing.T, _ func()) {
			c := clustertest.New(t, clustertest.Options{Nodes: 3, Spares: 1, Seed: 1, Now: time.Now, Files: true, Level: newest})
			defer c.Close()
			time.Sleep(5 * time.Second)
			fill(t, c, 100)
			leader := c.Leader()
			old := other(c, leader)
			require.EqualValues(t, newest, leader.Group().Level())
			if snapshot {
				require.NoError(t, old.Group().KeepBehind(0))
				require.NoError(t, old.Group().TakeSnapshot())
			}
			require.NoError(t, old.Stop())
			old.Install(group.FeatureLevel)
			why := fmt.Sprintf("level %d, and this server knows level %d: install the newer release",
				newest, group.FeatureLevel)
			if err := old.Restart(); snapshot {
				require.ErrorContains(t, err, why)
			} else {
				require.NoError(t, err)
				time.Sleep(5 * time.Second)
				require.ErrorContains(t, old.Failure(), why)
				require.NoError(t, old.Kill())
			}
			fill(t, c, 100)
			require.EqualValues(t, newest, c.Leader().Group().Level(), "it never falls")

			spare := c.Machines[3]
			spare.Install(group.FeatureLevel)
			require.NoError(t, spare.Start())
			require.ErrorContains(t, c.Meet(spare), "install the newer release there")
			require.NoError(t, spare.Kill())

			old.Install(newest)
			require.NoError(t, old.Restart())
			require.Len(t, c.RequireEqual(), 100)
		})
	}
}

// TestTheLevelWaitsForAllMembers: the level also waits for a member that does not run. It rises when that member is removed.
func TestTheLevelWaitsForAllMembers(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 4, Seed: 1, Now: time.Now, Level: group.FeatureLevel})
		defer c.Close()
		time.Sleep(5 * time.Second)
		old := other(c, c.Leader())
		require.NoError(t, old.Kill())
		for _, m := range c.Machines {
			if m != old {
				require.NoError(t, m.Stop())
				m.Install(newest)
				require.NoError(t, m.Restart())
				time.Sleep(2 * time.Second)
			}
		}
		time.Sleep(10 * time.Second)
		require.EqualValues(t, group.FeatureLevel, c.Leader().Group().Level())
		require.NoError(t, c.Leader().Group().Forget(old.Self.ID))
		time.Sleep(3 * time.Second)
		levels := []uint16{}
		for _, m := range c.Machines {
			if m != old {
				levels = append(levels, m.Group().Level())
			}
		}
		require.Equal(t, slices.Repeat([]uint16{newest}, 3), levels)
	})
}

// TestTheLevelWaitsForAMemberOfASnapshot: a node was sent a snapshot instead of the entry by which another member has joined.
// When it leads, it knows this member.
func TestTheLevelWaitsForAMemberOfASnapshot(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Spares: 1, Seed: 1, Now: time.Now, Files: true, Level: group.FeatureLevel})
		defer c.Close()
		upgrade := func(m *clustertest.Machine) {
			require.NoError(t, m.Stop())
			m.Install(newest)
			require.NoError(t, m.Restart())
			time.Sleep(3 * time.Second)
		}
		time.Sleep(5 * time.Second)
		lagging := other(c, c.Leader())
		upgrade(lagging)
		leader, spare := c.Leader(), c.Machines[3]
		require.NotSame(t, lagging, leader)
		require.NoError(t, leader.Group().KeepBehind(0))
		c.Network.Isolate(lagging.Addr(), true)
		require.NoError(t, spare.Start())
		require.NoError(t, c.Meet(spare))
		fill(t, c, 100)
		require.NoError(t, leader.Group().TakeSnapshot())
		fill(t, c, 5)
		c.Network.Heal()
		time.Sleep(5 * time.Second)
		require.Equal(t, 1, lagging.Snapshots())
		require.Equal(t, 4, lagging.Group().View().Voters())

		for _, m := range c.Machines[:3] {
			if m != lagging {
				upgrade(m)
			}
		}
		if c.Leader() != lagging {
			require.NoError(t, c.Leader().Group().GiveWay(lagging.Self.ID))
		}
		require.Same(t, lagging, c.Leader())
		time.Sleep(5 * time.Second)
		require.EqualValues(t, group.FeatureLevel, c.Leader().Group().Level())
		require.NoError(t, spare.Failure())
		upgrade(spare)
		require.EqualValues(t, newest, c.Leader().Group().Level())
	})
}
