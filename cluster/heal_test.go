package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

// onFiles gives each machine a disk that can fail.
func (w *world) onFiles(durable bool) (all []*files) {
	for _, m := range w.machines {
		disk := &files{}
		m.change = func(o *Options) { o.Disk.FS, o.Disk.Durable = disk, durable }
		all = append(all, disk)
	}
	return all
}

// Disks that fill, of one node or of all, stop the cluster for as long as they are full. It goes on within a second.
func TestFullDisksHeal(t *testing.T) {
	for _, durable := range []bool{false, true} {
		for _, full := range []int{1, 2, 3} {
			t.Run(fmt.Sprint(full, " disks, fsync ", durable), func(t *testing.T) {
				inWorld(t, 3, func(w *world) {
					disks := w.onFiles(durable)
					w.form(w.machines...)
					for round := range int64(3) {
						require.NoError(t, w.leader().set("a", round))
						w.awaitKey("a", round)
						leader := w.leader()
						for i, m := range w.machines {
							if i < full-1 || m == leader {
								disks[i].fill()
							}
						}
						require.ErrorIs(t, leader.set("a", 99), errNotServed)
						require.Equal(t, topology.Down, leader.View().State)
						require.Contains(t, roster.Describe(leader.State()), "no space left on device")
						if round > 0 {
							time.Sleep(time.Minute) // a full disk may get room at any time
						} else {
							time.Sleep(3 * time.Second)
						}
						begun := time.Now()
						for _, d := range disks {
							d.repair()
						}
						w.eventually("the cluster does not go on", func() bool { return w.leader().set("a", 7) == nil })
						require.Less(t, time.Since(begun), 3*time.Second)
						w.awaitVoters(w.machines...)
						w.awaitKey("a", 7)
						require.Zero(t, leader.failed.Load(), "the server is told that the node takes part again")
						time.Sleep(2 * group.AskInterval)
						require.NotContains(t, roster.Describe(leader.State()), "no space left on device")
						require.Empty(t, leader.Refused())
					}
				})
			})
		}
	}
}

// A turn begins before the disk fails, and ends after the node leads again. Its changes are lost, so its replies are not sent.
func TestTheLivesOfANodeHaveNoEpochInCommon(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		m, disks := w.machines[0], w.onFiles(false)
		w.form(m)
		mark := m.Mark()
		disks[0].fill()
		require.ErrorIs(t, m.set("a", 1), errNotServed)
		time.Sleep(3 * time.Second)
		disks[0].repair()
		w.leader()
		require.Equal(t, int64(-1), m.get("a"))
		safe, now := m.Later(m.Begun(), mark, func(bool) {})
		require.True(t, now)
		require.False(t, safe)
	})
}

// A turn begins before the disk fails, and ends when the node takes part again and does not lead. Its replies still need a position.
func TestTheLivesOfANodeHaveNoPositionInCommon(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		disks := w.onFiles(true)
		w.form(w.machines...)
		m := w.leader()
		before, mark := m.Begun(), m.Mark()
		for i, one := range w.machines {
			if one == m {
				disks[i].fill()
				require.ErrorIs(t, m.set("a", 1), errNotServed)
				require.Greater(t, m.Begun(), before)
				time.Sleep(3 * time.Second)
				disks[i].repair()
			}
		}
		time.Sleep(3 * time.Second)
		require.Empty(t, m.disk().fault())
		require.Greater(t, m.Begun(), before)
		safe, now := m.Later(m.Begun(), mark, func(bool) {})
		require.True(t, now)
		require.False(t, safe)
	})
}

// A disk that fails for another reason has some time to recover. Then the process ends.
func TestADiskThatDoesNotRecoverEndsTheProcess(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		disks := w.onFiles(true)
		w.form(w.machines...)
		leader := w.leader()
		for i, m := range w.machines {
			if m == leader {
				disks[i].breakDown("")
				defer disks[i].repair()
			}
		}
		begun := time.Now()
		require.ErrorIs(t, leader.set("a", 1), errNotServed)
		require.ErrorContains(t, <-leader.Refused(), "the disk of this node does not work: input/output error")
		require.InDelta(t, healWithin, time.Since(begun), float64(2*time.Second))
	})
}

// What a failed disk has lost is not taken for what the node has acknowledged.
func TestADiskThatComesBackWithoutItsLogEndsTheProcess(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		disks := w.onFiles(true)
		w.form(w.machines...)
		require.NoError(t, w.leader().set("a", 1))
		w.awaitKey("a", 1)
		leader := w.leader()
		for i, m := range w.machines {
			if m == leader {
				disks[i].fill()
				require.ErrorIs(t, leader.set("a", 2), errNotServed)
				require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "raft", "log")))
				disks[i].repair()
			}
		}
		require.ErrorContains(t, <-leader.Refused(), "this node has acknowledged entries up to")
	})
}
