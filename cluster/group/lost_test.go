package group_test

import (
	"strings"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/roster"
	"cellserver/persistence/fs/fstest"

	"github.com/stretchr/testify/require"
)

// logOf returns the paths of the files of a log.
func logOf(m *fstest.Memory) (paths []string) {
	for _, name := range m.Names() {
		if strings.HasSuffix(name, ".log") {
			paths = append(paths, name)
		}
	}
	return paths
}

// lostEnds are ways in which a log loses its end. The term and the vote of the node stay.
var lostEnds = map[string]func(*testing.T, *fstest.Memory){
	"the log is lost": func(t *testing.T, m *fstest.Memory) {
		for _, path := range logOf(m) {
			require.NoError(t, m.Remove(path))
		}
	},
	"the log is cut": func(_ *testing.T, m *fstest.Memory) {
		path := logOf(m)[0]
		m.Put(path, m.Get(path)[:1000])
	},
	"the tail is zeros": func(_ *testing.T, m *fstest.Memory) {
		path := logOf(m)[0]
		data := m.Get(path)
		clear(data[1000:])
		m.Put(path, data)
	},
}

// twoHaveChanges makes a cluster of three, in which the leader and one follower have 500 acknowledged changes. The third node
// slept meanwhile, and does not run.
func twoHaveChanges(t *testing.T, then func(t *testing.T, c *clustertest.Cluster, leader, follower, slept *clustertest.Machine)) {
	bubble(t, func(t *testing.T, progress func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: first(t), Now: time.Now, Files: true})
		defer c.Close()
		leader := c.Leader()
		slept := other(c, leader)
		require.NoError(t, slept.Kill())
		for i := range int64(500) {
			require.Equal(t, i+1, do(t, leader, "INCR key"))
		}
		progress()
		then(t, c, leader, other(c, leader), slept)
	})
}

// requireNobodyLeads requires that the nodes that run elect no leader.
func requireNobodyLeads(t *testing.T, c *clustertest.Cluster) {
	t.Helper()
	time.Sleep(10 * time.Second)
	for _, m := range c.Machines {
		require.False(t, m.Leads())
	}
}

// lastNode is a cluster of three. Two nodes have 500 acknowledged changes, and the log of one of these has lost its end. Then
// it meets the third node, which slept: these two are a majority.
func lastNode(t *testing.T, trusted bool, damage func(*testing.T, *fstest.Memory), then func(c *clustertest.Cluster, m *clustertest.Machine, err error)) {
	twoHaveChanges(t, func(t *testing.T, c *clustertest.Cluster, leader, damaged, slept *clustertest.Machine) {
		require.NoError(t, leader.Kill())
		require.NoError(t, damaged.PowerCut(nil))
		damage(t, damaged.Files())
		if trusted {
			damaged.TrustLog()
		}
		require.NoError(t, slept.Restart())
		then(c, damaged, damaged.Restart())
		require.NoError(t, leader.Restart())
		c.RequireEqual()
		got := do(t, c.Leader(), "INCRBY key 0")
		if trusted {
			require.Less(t, got, int64(500), "the damage is not found, so it must show")
		} else {
			require.Equal(t, int64(500), got)
		}
	})
}

// A node whose log lacks entries that it has acknowledged takes no part, so nothing that clients know is lost.
func TestALogThatLostItsEndElectsNobody(t *testing.T) {
	for name, damage := range lostEnds {
		t.Run(name, func(t *testing.T) {
			lastNode(t, false, damage, func(c *clustertest.Cluster, m *clustertest.Machine, err error) {
				require.ErrorContains(t, err, "this node has acknowledged entries up to")
				requireNobodyLeads(t, c)
			})
		})
		t.Run("bait: "+name, func(t *testing.T) {
			lastNode(t, true, damage, func(c *clustertest.Cluster, m *clustertest.Machine, err error) {
				require.NoError(t, err)
				c.Leader()
			})
		})
	}
}

// Two of three nodes have 500 acknowledged changes, and one of these loses its disk. At its address a node with
// a new id answers. Its vote does not count: it would elect the third node, which slept.
func TestALostDiskElectsNobody(t *testing.T) {
	twoHaveChanges(t, func(t *testing.T, c *clustertest.Cluster, leader, lost, slept *clustertest.Machine) {
		require.NoError(t, leader.Kill())
		require.NoError(t, lost.Kill())
		lost.LoseDisk()
		require.NoError(t, lost.Restart())
		require.NoError(t, slept.Restart())
		requireNobodyLeads(t, c)
		require.NoError(t, leader.Restart())
		require.Same(t, leader, c.Leader(), "nobody else has all changes")
		require.NoError(t, c.Meet(lost))
		c.RequireEqual()
		require.Equal(t, int64(501), do(t, c.Leader(), "INCR key"))
	})
}

// Both followers of three nodes have lost their disks. The leader has all changes, and they confirm new ones. So they replace
// the lost voters one after the other, and the leader may be lost then.
func TestALeaderGoesOnWithoutTheDisksOfTheOthers(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: first(t), Now: time.Now, Files: true})
		defer c.Close()
		leader := c.Leader()
		require.Equal(t, int64(1), do(t, leader, "INCR key"))
		var lost []*clustertest.Machine
		for _, m := range c.Machines {
			if m != leader {
				lost = append(lost, m)
				require.NoError(t, m.Kill())
				m.LoseDisk()
				require.NoError(t, m.Restart())
			}
		}
		require.Equal(t, int64(2), do(t, leader, "INCR key"))
		require.ErrorContains(t, leader.Group().Forget(idAt(leader, lost[0])), "1 of the other 2 voters answer")
		for _, m := range lost {
			for c.Meet(m) != nil { // the others confirm no entries yet
				time.Sleep(100 * time.Millisecond)
			}
		}
		require.NoError(t, leader.Kill())
		require.Equal(t, int64(3), do(t, c.Leader(), "INCR key"))
		require.NoError(t, leader.Restart())
		time.Sleep(5 * time.Second)
		c.RequireEqual()
	})
}

// The third node has missed that a node with an empty disk votes, when the leader is lost. Only the new node has all
// changes. The third node votes for it, although its own members do not have it.
func TestAVoterElectsANodeThatItDoesNotKnow(t *testing.T) {
	for _, knows := range []string{"nothing of the node", "that the node gets data"} {
		t.Run(knows, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ func()) {
				c := clustertest.New(t, clustertest.Options{Nodes: 5, Seed: first(t), Now: time.Now, Files: true})
				defer c.Close()
				leader := c.Leader()
				var m []*clustertest.Machine // the followers
				for _, other := range c.Machines {
					if other != leader {
						m = append(m, other)
					}
				}
				lost, behind := m[0], m[2:]
				require.NoError(t, lost.Kill())
				lost.LoseDisk()
				require.NoError(t, lost.Restart())
				if knows == "that the node gets data" {
					_, err := leader.Group().Admit(lost.Group().Self())
					require.NoError(t, err)
					time.Sleep(time.Second)
				}
				c.Network.Isolate(behind[0].Addr(), true)
				require.NoError(t, c.Meet(lost))
				c.Network.Isolate(behind[1].Addr(), true)
				require.Equal(t, int64(1), do(t, leader, "INCR key"))
				require.NoError(t, leader.Kill())
				require.NoError(t, m[1].Kill())
				c.Network.Heal()
				require.Same(t, lost, c.Leader())
				require.Equal(t, int64(2), do(t, lost, "INCR key"))
			})
		})
	}
}

// idAt returns the id of the voter that has the address of a machine.
func idAt(leader, m *clustertest.Machine) (id string) {
	for _, k := range leader.Group().View().Nodes {
		if roster.RaftAddress(k) == m.Addr() {
			id = k.ID
		}
	}
	return id
}
