package app

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/internal/topology"
	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// patience bounds each wait for a cluster.
const patience = 60 * time.Second

// testCluster is three servers on loopback addresses in the test's process.
type testCluster struct {
	t     *testing.T
	ports []int
	dirs  []string
	nodes []*instance // nil: not running
	more  []string    // directives of all nodes
}

// newCluster starts three servers with the same directives.
func newCluster(t *testing.T, directives ...string) *testCluster {
	t.Helper()
	c := &testCluster{t: t, nodes: make([]*instance, 3), more: directives}
	for range c.nodes {
		c.ports = append(c.ports, porttest.Free(t))
		c.dirs = append(c.dirs, t.TempDir())
	}
	for i := range c.nodes {
		c.start(i)
	}
	c.awaitEqualViews()
	return c
}

// start starts a server.
func (c *testCluster) start(i int, directives ...string) {
	c.t.Helper()
	args := []string{"--port", strconv.Itoa(c.ports[i]), "--dir", c.dirs[i], "--cluster-enabled", "yes", "--cluster-node-timeout", "800", "--cluster-nodes"}
	for _, port := range c.ports {
		args = append(args, fmt.Sprint("127.0.0.1:", port))
	}
	in, err := open(c.t, append(append(args, c.more...), directives...)...)
	require.NoError(c.t, err)
	c.nodes[i] = in
	in.run(c.t)
	c.t.Cleanup(func() {
		if c.t.Failed() || os.Getenv("SHOW") != "" {
			c.t.Logf("node %d on port %d:\n%s", i, c.ports[i], in.log)
		}
	})
}

// end stops a server as planned.
func (c *testCluster) end(i int) {
	c.t.Helper()
	c.nodes[i].stop()
	c.nodes[i].wait(c.t)
	c.nodes[i] = nil
}

// leader waits for a server that leads, and returns its number.
func (c *testCluster) leader() (leader int) {
	c.t.Helper()
	c.eventually("no node leads", func() bool {
		for i, in := range c.nodes {
			if in != nil && in.member.Epoch() != 0 {
				leader = i
				return true
			}
		}
		return false
	})
	return leader
}

// followers returns the running servers that do not lead.
func (c *testCluster) followers() (all []int) {
	leader := c.leader()
	for i, in := range c.nodes {
		if in != nil && i != leader {
			all = append(all, i)
		}
	}
	return all
}

// awaitEqualViews waits until all running servers see the same leader and know the addresses of all nodes.
func (c *testCluster) awaitEqualViews() {
	c.t.Helper()
	c.eventually("the servers do not see the same cluster", func() bool {
		leaders := map[string]bool{}
		for _, in := range c.nodes {
			if in == nil {
				continue
			}
			v := in.member.View()
			leader := v.LeaderOf(0)
			if v.State != topology.OK || leader < 0 || v.Voters() != len(c.nodes) || len(v.Nodes) != len(c.nodes) {
				return false
			}
			for _, k := range v.Nodes {
				if k.Port == 0 {
					return false
				}
			}
			leaders[v.Nodes[leader].ID] = true
		}
		return len(leaders) == 1
	})
}

func (c *testCluster) eventually(failure string, is func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatal(failure)
		}
	}
}

// try sends a command to a server on a connection of its own.
func (c *testCluster) try(i int, args ...any) (reply any, err error) {
	nc, err := net.DialTimeout("tcp", fmt.Sprint("127.0.0.1:", c.ports[i]), timeout)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if err := nc.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	if _, err := nc.Write(resptest.Command(args...)); err != nil {
		return nil, err
	}
	return resptest.New(c.t, nc).TryRecv()
}

// do sends a command to the leader, and to the next one if there is none.
func (c *testCluster) do(args ...any) (reply any) {
	c.t.Helper()
	c.eventually("no leader replies", func() bool {
		var err error
		reply, err = c.try(c.leader(), args...)
		return err == nil && !isElsewhere(reply)
	})
	return reply
}

// isElsewhere reports whether a reply says that another node leads, or none.
func isElsewhere(reply any) bool {
	text := fmt.Sprint(reply)
	for _, word := range []string{"MOVED ", "CLUSTERDOWN ", "LOADING "} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// read waits until a server shows a value of a key to a READONLY client.
func (c *testCluster) read(i int, key, value string) {
	c.t.Helper()
	conn := c.nodes[i].dial(c.t)
	defer conn.Close()
	ok(c.t, conn, "READONLY")
	c.eventually(fmt.Sprintf("node %d does not show %s", i, key), func() bool {
		return fmt.Sprint(conn.Do("GET", key)) == value
	})
}

// Three servers with the same command line form a cluster. What the leader has acknowledged is on the followers, and a
// planned stop of the leader loses nothing.
func TestClusterForms(t *testing.T) {
	c := newCluster(t)
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "1"))
	follower := c.followers()[0]
	reply := c.nodes[follower].dial(t).Do("GET", "a")
	require.Equal(t, fmt.Sprintf("MOVED 15495 127.0.0.1:%d", c.ports[c.leader()]), fmt.Sprint(reply))
	for _, i := range c.followers() {
		c.read(i, "a", "1")
	}
	c.end(c.leader())
	require.Equal(t, "2", fmt.Sprint(c.do("INCR", "a")))
}

// A server whose directory is lost joins again by itself, with another id.
func TestLostDirectoryJoinsAgain(t *testing.T) {
	c := newCluster(t)
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "1"))
	lost := c.followers()[0]
	before := c.nodes[lost].member.View()
	c.end(lost)
	require.NoError(t, os.RemoveAll(filepath.Join(c.dirs[lost], "raft")))
	require.Equal(t, "2", fmt.Sprint(c.do("INCR", "a")))
	c.start(lost)
	c.awaitEqualViews()
	c.read(lost, "a", "2")
	after := c.nodes[lost].member.View()
	require.NotEqual(t, before.Nodes[before.Self].ID, after.Nodes[after.Self].ID)
	c.end(c.leader())
	require.Equal(t, "3", fmt.Sprint(c.do("INCR", "a")))
}

// CLUSTER FAILOVER makes a follower the leader, and every node tells Sentinel clients.
func TestFailoverOnDemand(t *testing.T) {
	c := newCluster(t)
	old, next := c.leader(), c.followers()[0]
	watcher := c.nodes[next].dial(t)
	watcher.Do("SUBSCRIBE", "+switch-master")
	c.do("SET", "a", "1")
	ok(t, c.nodes[next].dial(t), "CLUSTER", "FAILOVER")
	c.eventually("the follower does not lead", func() bool { return c.nodes[next].member.Epoch() != 0 })
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "2"))
	message := fmt.Sprint(watcher.Recv())
	require.Contains(t, message, fmt.Sprintf("mymaster 127.0.0.1 %d 127.0.0.1 %d", c.ports[old], c.ports[next]))
	c.awaitEqualViews()
	for i := range c.nodes {
		reply := c.nodes[i].dial(t).Do("SENTINEL", "get-master-addr-by-name", "mymaster")
		require.Contains(t, fmt.Sprint(reply), strconv.Itoa(c.ports[next]))
	}
}

// A forgotten node serves nobody. CLUSTER MEET takes it back.
func TestForgetAndMeet(t *testing.T) {
	c := newCluster(t)
	gone := c.followers()[0]
	v := c.nodes[gone].member.View()
	require.Equal(t, resptest.Simple("OK"), c.do("CLUSTER", "FORGET", v.Nodes[v.Self].ID))
	c.eventually("the leader still has the node", func() bool { return len(c.nodes[c.leader()].member.View().Nodes) == 2 })
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "1"))
	require.Equal(t, resptest.Simple("OK"), c.do("CLUSTER", "MEET", "127.0.0.1", c.ports[gone]))
	c.awaitEqualViews()
	c.read(gone, "a", "1")
}

// A client of proxy-port needs to know nothing of the cluster.
func TestProxyPort(t *testing.T) {
	proxies := []int{porttest.Free(t), porttest.Free(t), porttest.Free(t)}
	c := &testCluster{t: t, nodes: make([]*instance, 3)}
	for range c.nodes {
		c.ports, c.dirs = append(c.ports, porttest.Free(t)), append(c.dirs, t.TempDir())
	}
	for i := range c.nodes {
		c.start(i, "--proxy-port", strconv.Itoa(proxies[i]))
	}
	c.awaitEqualViews()
	follower := c.followers()[0]
	for i, port := range proxies {
		c.eventually("the proxy does not pass on", func() bool {
			nc, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
			require.NoError(t, err)
			conn := resptest.New(t, nc)
			defer conn.Close()
			conn.Send("SET", "a", i)
			reply, err := conn.TryRecv()
			return err == nil && reply == resptest.Simple("OK")
		})
		require.Equal(t, strconv.Itoa(i), fmt.Sprint(c.do("GET", "a")))
	}
	nc, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", proxies[follower]))
	require.NoError(t, err)
	conn := resptest.New(t, nc)
	require.Contains(t, fmt.Sprint(conn.Do("CLIENT", "LIST")), "addr="+nc.LocalAddr().String(), "the leader sees the address of the client")
	ok(t, conn, "MULTI")
	require.Equal(t, resptest.Simple("QUEUED"), conn.Do("INCR", "a"))
	require.NotNil(t, conn.Do("EXEC"))
}

// A published message reaches the subscribers of all nodes.
func TestPublishAcrossNodes(t *testing.T) {
	c := newCluster(t)
	for i := range c.nodes {
		subscriber := c.nodes[i].dial(t)
		subscriber.Do("SUBSCRIBE", "news")
		from := c.nodes[(i+1)%3].dial(t)
		c.eventually("the message does not arrive", func() bool {
			from.Do("PUBLISH", "news", "hello")
			if err := subscriber.NetConn().SetReadDeadline(time.Now().Add(time.Second)); err != nil {
				return false
			}
			message, err := subscriber.TryRecv()
			return err == nil && strings.Contains(fmt.Sprint(message), "hello")
		})
	}
}

// The clock that DEBUG CLOCK sets on the leader is that of all nodes.
func TestClockOfTheCluster(t *testing.T) {
	c := newCluster(t)
	c.do("SET", "a", "1", "EX", "1000")
	for _, i := range c.followers() {
		c.read(i, "a", "1")
		reply := c.nodes[i].dial(t).Do("DEBUG", "CLOCK", "ADVANCE", "1")
		require.Contains(t, fmt.Sprint(reply), "the leader has the clock of the cluster")
	}
	ok(t, c.nodes[c.leader()].dial(t), "DEBUG", "CLOCK", "ADVANCE", int64(2000*time.Second))
	for _, i := range c.followers() {
		c.eventually("the key does not expire on a follower", func() bool {
			conn := c.nodes[i].dial(t)
			defer conn.Close()
			ok(t, conn, "READONLY")
			return fmt.Sprint(conn.Do("DBSIZE")) == "0"
		})
	}
}

// BGREWRITEAOF writes a snapshot, from which a node starts again.
func TestSnapshotOnDemand(t *testing.T) {
	c := newCluster(t)
	for range 100 {
		c.do("INCR", "a")
	}
	follower := c.followers()[0]
	conn := c.nodes[follower].dial(t)
	c.eventually("INFO does not show the scheduled snapshot", func() bool {
		ok(t, conn, "MULTI")
		conn.Do("BGREWRITEAOF")
		conn.Do("INFO", "persistence")
		return strings.Contains(fmt.Sprint(conn.Do("EXEC")), "aof_rewrite_scheduled:1")
	})
	snapshots := filepath.Join(c.dirs[follower], "raft", "snapshots", "*", "state.bin")
	c.eventually("there is no snapshot", func() bool {
		found, err := filepath.Glob(snapshots)
		require.NoError(t, err)
		return len(found) > 0
	})
	var running *store.Snapshot
	c.eventually("the scheduled snapshot does not end", func() (begun bool) {
		var err error
		running, err = c.nodes[follower].store.Snapshot(0, func() {})
		return err == nil
	})
	require.Equal(t, resptest.Error(commands.ErrClusterSnapshot), conn.Do("SAVE"))
	before, err := filepath.Glob(snapshots)
	require.NoError(t, err)
	c.do("INCR", "b")
	c.awaitEqualViews()
	c.read(follower, "b", "1")
	require.NoError(t, c.nodes[follower].member.Snapshot())
	c.eventually("a snapshot that meets another one is not scheduled again", func() bool {
		writing, scheduled, failed := c.nodes[follower].member.SnapshotState()
		require.False(t, failed)
		return !writing && scheduled
	})
	running.Close()
	c.eventually("the snapshot that waited does not begin", func() bool {
		found, err := filepath.Glob(snapshots)
		require.NoError(t, err)
		return !slices.Equal(before, found)
	})
	ok(t, conn, "SAVE")
	c.end(follower)
	c.start(follower)
	c.awaitEqualViews()
	c.read(follower, "a", "100")
}

// The state of a cluster is a page for people.
func TestClusterState(t *testing.T) {
	c := newCluster(t, "--cluster-secret", "0123456789abcdef")
	leader := fmt.Sprint("127.0.0.1:", c.ports[c.leader()])
	cfg, _, err := configload.Load([]string{"--cluster-secret", "0123456789abcdef"}, nil, nil)
	require.NoError(t, err)
	c.eventually("the state does not say that all is well", func() bool {
		text, err := ClusterState(cfg, leader)
		require.NoError(t, err)
		return strings.Contains(text, "up, with all of its 3 voters") && strings.Contains(text, "nothing: all nodes answer and are up to date")
	})
	cfg, _, err = configload.Load([]string{"--cluster-secret", "another secret!!"}, nil, nil)
	require.NoError(t, err)
	_, err = ClusterState(cfg, leader)
	require.ErrorContains(t, err, "secret")
}

// A node that other machines could reach must prove itself.
func TestPeersWithoutSecret(t *testing.T) {
	_, err := open(t, "--cluster-enabled", "yes", "--cluster-nodes", "10.0.0.1:6379", "10.0.0.2:6379")
	require.ErrorContains(t, err, "without cluster-secret and tls-cluster it listens on loopback addresses only")
}
