package app

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/cluster"
	"cellserver/commands"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// Three servers with the same command line form a cluster. What the leader has acknowledged is on the followers, and a
// planned stop of the leader loses nothing.
func TestClusterForms(t *testing.T) {
	c := newCluster(t)
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "1"))
	c.steadily(func(leader int) string {
		return differs(fmt.Sprintf("MOVED 15495 127.0.0.1:%d", c.ports[leader]), c.ask(c.notLeader(leader), "GET", "a"))
	})
	for _, i := range c.followers() {
		c.read(i, "a", "1")
	}
	c.end(c.leader())
	c.replaces("a", "1", "2")
}

// A server whose directory is lost joins again by itself, with another id.
func TestLostDirectoryJoinsAgain(t *testing.T) {
	c := newCluster(t)
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "1"))
	lost := c.followers()[0]
	before := c.nodes[lost].member.View()
	c.end(lost)
	require.NoError(t, os.RemoveAll(filepath.Join(c.dirs[lost], "raft")))
	c.replaces("a", "1", "2")
	c.start(lost)
	c.awaitEqualViews()
	c.read(lost, "a", "2")
	after := c.nodes[lost].member.View()
	require.NotEqual(t, before.Nodes[before.Self].ID, after.Nodes[after.Self].ID)
	c.end(c.leader())
	c.replaces("a", "2", "3")
}

// CLUSTER FAILOVER makes a follower the leader, and every node tells Sentinel clients.
func TestFailoverOnDemand(t *testing.T) {
	c := newCluster(t)
	c.do("SET", "a", "1")
	c.steadily(func(old int) string {
		next, epoch := c.notLeader(old), c.nodes[old].member.Epoch()
		watcher := c.nodes[next].dial(t)
		watcher.Do("SUBSCRIBE", "+switch-master")
		if reply := c.ask(next, "CLUSTER", "FAILOVER"); reply != "OK" {
			return reply
		}
		c.eventually("the old leader still leads", func() bool { return c.nodes[old].member.Epoch() != epoch })
		want := fmt.Sprintf("mymaster 127.0.0.1 %d 127.0.0.1 %d", c.sentinelPort(old), c.sentinelPort(next))
		if message := fmt.Sprint(watcher.Recv()); !strings.Contains(message, want) {
			return message
		}
		return ""
	})
	c.replaces("a", "1", "2")
	c.steadily(func(leader int) string {
		for i := range c.nodes {
			reply := c.ask(i, "SENTINEL", "get-master-addr-by-name", "mymaster")
			if !strings.Contains(reply, strconv.Itoa(c.sentinelPort(leader))) {
				return reply
			}
		}
		return ""
	})
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
	c.steadily(func(leader int) string { return overProxy(t, proxies[c.notLeader(leader)]) })
}

// overProxy has a client of a proxy that looks at its address, runs a transaction, and uses several slots and databases.
func overProxy(t *testing.T, port int) (failure string) {
	nc, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
	require.NoError(t, err)
	conn := resptest.New(t, nc)
	defer conn.Close()
	for _, step := range []struct {
		send []any
		want string
	}{
		{[]any{"CLIENT", "LIST"}, "addr=" + nc.LocalAddr().String()},
		{[]any{"MULTI"}, "OK"}, {[]any{"SET", "a", "9"}, "QUEUED"}, {[]any{"INCR", "b"}, "QUEUED"}, {[]any{"EXEC"}, "[OK "},
		{[]any{"MSET", "a", "1", "b", "2", "c", "3"}, "OK"}, {[]any{"MGET", "a", "b", "c"}, "[1 2 3]"},
		{[]any{"EVAL", "return redis.call('mget', KEYS[1], KEYS[2])", "2", "a", "c"}, "[1 3]"},
		{[]any{"SELECT", "1"}, "OK"}, {[]any{"SET", "a", "db1"}, "OK"}, {[]any{"GET", "a"}, "db1"},
		{[]any{"CLUSTER", "SLOTS"}, "ERR This instance has cluster support disabled"},
	} {
		conn.Send(step.send...)
		if reply, err := conn.TryRecv(); err != nil || !strings.Contains(fmt.Sprint(reply), step.want) {
			return fmt.Sprint(step.send, ": ", reply, " ", err)
		}
	}
	return ""
}

// TestSentinelDoor: to a client that came by SENTINEL the cluster is a Redis with replicas. A client of the usual port
// is a cluster client.
func TestSentinelDoor(t *testing.T) {
	c := newCluster(t)
	c.steadily(func(leader int) string {
		require.NotEqual(t, c.ports[leader], c.sentinelPort(leader))
		replica := c.notLeader(leader)
		if listed := c.ask(replica, "SENTINEL", "replicas", "mymaster"); !strings.Contains(listed, fmt.Sprint("port ", c.sentinelPort(replica))) {
			return listed
		}
		return cmp.Or(
			talk(t, c.ports[leader], "MGET a b", "CROSSSLOT", "SELECT 1", "SELECT is not allowed in cluster mode", "INFO server", "redis_mode:cluster"),
			talk(t, c.sentinelPort(leader), "FLUSHALL", "OK", "MSET a 1 b 2", "OK", "MGET a b", "[1 2]", "MULTI", "OK", "INCR a", "QUEUED", "INCR b", "QUEUED", "EXEC", "[2 3]",
				"WATCH a b", "OK", "EVAL return{redis.call('incr',KEYS[1]),redis.call('incr',KEYS[2])} 2 a b", "[3 4]",
				"SINTER x y", "[]", "SELECT 1", "OK", "MSET a db1 c db1", "OK", "COPY a d DB 2", "1", "SWAPDB 1 3", "OK", "MOVE x 2", "0",
				"SELECT 3", "OK", "MGET a c", "[db1 db1]", "DBSIZE", "2", "INFO server", "redis_mode:standalone", "INFO cluster", "cluster_enabled:0",
				"CLUSTER SLOTS", "ERR This instance has cluster support disabled", "READONLY", "ERR This instance has cluster support disabled",
				"ROLE", fmt.Sprint("[127.0.0.1 ", c.sentinelPort(replica))),
		)
	})
	c.steadily(func(leader int) (failure string) {
		c.eventually("a replica does not show what the leader has", func() bool {
			port := c.sentinelPort(c.notLeader(leader))
			failure = talk(t, port, "SELECT 3", "OK", "MGET a c", "[db1 db1]", "SELECT 0", "OK", "MGET a b", "[3 4]", "SELECT 2", "OK", "GET d", "db1",
				"SET a 1", "READONLY You can't write", "BLPOP l 0", "READONLY", "MULTI", "OK", "GET d", "QUEUED", "EXEC", "[db1]",
				"EVAL return{redis.call('get',KEYS[1]),redis.call('get',KEYS[2])} 2 d x", "[db1", "EVAL return(redis.call('set',KEYS[1],1)) 1 x", "READONLY",
				"ROLE", fmt.Sprint("slave 127.0.0.1 ", c.sentinelPort(leader)), "HELLO 3", "replica")
			return !strings.HasPrefix(failure, "MGET a c: ") // SWAPDB is the last change
		})
		return failure
	})
	c.end(c.leader())
	c.steadily(func(leader int) string { // another node leads, with all databases
		return talk(t, c.sentinelPort(leader), "MGET a b", "[3 4]", "SELECT 3", "OK", "MGET a c", "[db1 db1]")
	})
}

// sentinelPort returns the port that a server has for clients in Sentinel mode.
func (c *testCluster) sentinelPort(i int) int {
	v := c.nodes[i].member.View()
	return v.Nodes[v.Self].Sentinel.Plain
}

// talk sends commands over one connection. The arguments are commands, each with a part of its reply.
func talk(t *testing.T, port int, commandsAndReplies ...string) (failure string) {
	nc, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
	require.NoError(t, err)
	conn := resptest.New(t, nc)
	defer conn.Close()
	for pair := range slices.Chunk(commandsAndReplies, 2) {
		var words []any
		for _, word := range strings.Fields(pair[0]) {
			words = append(words, word)
		}
		conn.Send(words...)
		if reply, err := conn.TryRecv(); err != nil || !strings.Contains(fmt.Sprint(reply), pair[1]) {
			return fmt.Sprint(pair[0], ": ", reply, " ", err)
		}
	}
	return ""
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

// SCRIPT LOAD at one node keeps the script on all nodes, and on one that starts later. So a program that loads its
// scripts once goes on with the next leader.
func TestLoadedScriptsAreOnAllNodes(t *testing.T) {
	c := newCluster(t)
	exist := func(sha string) {
		t.Helper()
		for i := range c.nodes {
			c.eventually("a node does not know the script", func() bool { return c.ask(i, "SCRIPT", "EXISTS", sha) == "[1]" })
		}
	}
	var all []string
	for i := range c.nodes {
		all = append(all, c.ask(i, "SCRIPT", "LOAD", fmt.Sprintf("return redis.call('incrby', KEYS[1], %d)", i)))
		exist(all[i])
	}
	leader := c.leader()
	c.end(leader)
	require.Contains(t, []any{int64(1)}, c.do("EVALSHA", all[1], "1", "n"))
	c.start(leader)
	for _, sha := range all {
		exist(sha)
	}
	require.Equal(t, "[1 0]", c.ask(leader, "SCRIPT", "EXISTS", all[0], strings.Repeat("0", 40)))
}

// The clock that DEBUG CLOCK sets on the leader is that of all nodes.
func TestClockOfTheCluster(t *testing.T) {
	c := newCluster(t)
	c.do("SET", "a", "1", "EX", "1000")
	for _, i := range c.followers() {
		c.read(i, "a", "1")
	}
	c.steadily(func(leader int) string {
		for i := range c.nodes {
			reply := c.ask(i, "DEBUG", "CLOCK", "ADVANCE", "1")
			if i != leader && !strings.Contains(reply, "the leader has the clock of the cluster") {
				return reply
			}
		}
		return differs("OK", c.ask(leader, "DEBUG", "CLOCK", "ADVANCE", int64(2000*time.Second)))
	})
	for _, i := range c.followers() {
		c.eventually("the key does not expire on a follower", func() bool {
			keys, err := c.readOnly(i, "DBSIZE")
			return err == nil && keys == int64(0)
		})
	}
}

// BGREWRITEAOF writes a snapshot, from which a node starts again.
func TestSnapshotOnDemand(t *testing.T) {
	c := newCluster(t)
	for i := range 100 {
		c.do("SET", "a", i+1)
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
	c.do("SET", "b", "1")
	c.awaitEqualViews()
	c.read(follower, "b", "1")
	c.eventually("a snapshot that meets another one is not scheduled again", func() bool {
		if err := c.nodes[follower].member.Snapshot(); err != nil {
			require.ErrorIs(t, err, cluster.ErrBusy, "one that BGREWRITEAOF has scheduled still ends")
		}
		_, scheduled, failed := c.nodes[follower].member.SnapshotState()
		require.False(t, failed)
		return scheduled
	})
	running.Close()
	c.eventually("the snapshot that waited does not begin", func() bool {
		found, err := filepath.Glob(snapshots)
		require.NoError(t, err)
		return !slices.Equal(before, found)
	})
	c.eventually("the snapshot that waited does not end", func() bool { return conn.Do("SAVE") == resptest.Simple("OK") })
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
		text, whole, err := ClusterState(cfg, leader)
		require.NoError(t, err)
		return whole && strings.Contains(text, "up, with all of its 3 voters") && strings.Contains(text, "nothing: all nodes answer and are up to date")
	})
	cfg, _, err = configload.Load([]string{"--cluster-secret", "another secret!!"}, nil, nil)
	require.NoError(t, err)
	_, _, err = ClusterState(cfg, leader)
	require.ErrorContains(t, err, "secret")
}

// A node that other machines could reach must prove itself.
func TestPeersWithoutSecret(t *testing.T) {
	_, err := open(t, "--cluster-enabled", "yes", "--cluster-nodes", "10.0.0.1:6379", "10.0.0.2:6379")
	require.ErrorContains(t, err, "without cluster-secret and tls-cluster it listens on loopback addresses only")
}

// A replica of an idle cluster shows a write soon after its reply: long before Raft's next message, which comes after a tenth
// of the node timeout, or after up to twice that time. A busy machine may delay most of the writes, but not all.
func TestReplicasOfAnIdleClusterAreFresh(t *testing.T) {
	c := newCluster(t, "--cluster-node-timeout", "3000")
	c.steadily(func(leader int) string {
		writes, reads := c.nodes[leader].dial(t), c.nodes[c.notLeader(leader)].dial(t)
		defer writes.Close()
		defer reads.Close()
		ask := func(conn *resptest.Client, args ...any) string {
			conn.Send(args...)
			reply, err := conn.TryRecv() // a server that leads no more closes the connection
			return fmt.Sprint(cmp.Or[any](err, reply))
		}
		if reply := ask(reads, "READONLY"); reply != "OK" {
			return reply
		}
		var behind []time.Duration
		for i := range 15 {
			time.Sleep(20 * time.Millisecond)
			if reply := ask(writes, "SET", "k", i); reply != "OK" {
				return reply
			}
			begun := time.Now()
			for ask(reads, "GET", "k") != fmt.Sprint(i) {
				if time.Since(begun) > patience {
					return "the replica does not follow"
				}
				time.Sleep(100 * time.Microsecond)
			}
			behind = append(behind, time.Since(begun))
		}
		slices.Sort(behind)
		t.Log("behind: a quarter of the writes at most", behind[len(behind)/4], "all at most", behind[len(behind)-1])
		if behind[len(behind)/4] > 150*time.Millisecond {
			return fmt.Sprint("a replica is behind: ", behind)
		}
		return ""
	})
}
