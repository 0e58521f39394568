package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// info returns a field of INFO of a server.
func (c *testCluster) info(i int, section, field string) (value string) {
	c.t.Helper()
	c.eventually("a server does not answer", func() bool { // one that begins or ends to lead may close the connection
		reply, err := c.try(i, "INFO", section)
		value = fieldOf(reply, field)
		return err == nil
	})
	return value
}

// index returns an index of the log that a server shows.
func (c *testCluster) index(i int, field string) (index int) {
	_, err := fmt.Sscan(c.info(i, "cluster", field), &index)
	require.NoError(c.t, err)
	return index
}

// at returns a connection to a server that reads what the server has.
func (c *testCluster) at(i int) *resptest.Client {
	conn := c.nodes[i].dial(c.t)
	ok(c.t, conn, "READONLY")
	reply := any(nil)
	c.eventually("a server does not read", func() bool {
		reply = conn.Do("DBSIZE")
		_, is := reply.(int64)
		return is
	})
	return conn
}

// caughtUp waits until every running server has all that the master has. The master hears of a write when a
// majority has it.
func (c *testCluster) caughtUp(m *resptest.Client) {
	c.t.Helper()
	ok(c.t, m, "SET", "mark", "1")
	require.EqualValues(c.t, 1, m.Do("WAIT", 1, 60_000))
	leader := c.leader()
	committed := c.index(leader, "cluster_commit_index")
	c.eventually("the cluster does not catch up", func() bool {
		for i, in := range c.nodes {
			if in != nil && c.index(i, "cluster_applied_index") < committed {
				return false
			}
		}
		return true
	})
}

// requireEqual requires that every running server has the keys of the master.
func (c *testCluster) requireEqual(m *resptest.Client) {
	c.t.Helper()
	c.caughtUp(m)
	for i, in := range c.nodes {
		if in != nil {
			conn := c.at(i)
			requireEqualKeys(c.t, m, conn, 1)
			conn.Close()
		}
	}
}

// failover makes another server the leader.
func (c *testCluster) failover() {
	c.t.Helper()
	leader := c.leader()
	c.eventually("the leader stays", func() bool {
		c.ask(c.notLeader(leader), "CLUSTER", "FAILOVER")
		return c.leader() != leader
	})
}

// TestReplicaOfInACluster: the leader takes the keys of a Redis and follows it, all nodes have them and are read-only, and
// the next leader continues where the last one has ended. REPLICAOF NO ONE ends it.
func TestReplicaOfInACluster(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	ok(t, m, "MSET", "a", "1", "b", "hello")
	m.Do("RPUSH", "l", "1", "2", "3")
	m.Do("SET", "soon", "x", "PX", 50)
	c := newCluster(t, "--cluster-node-timeout", "3000") // a busy machine deposes no leader, and each node may read
	of := []any{"REPLICAOF", "127.0.0.1", redis.port}
	readOnly := resptest.Error("READONLY You can't write against a read only replica.")
	ok := func(reply any) { t.Helper(); require.Equal(t, resptest.Simple("OK"), reply) }

	ok(c.do("SET", "mine", "1"))
	require.Equal(t, resptest.Error("ERR the cluster holds 1 keys, which a full copy would replace: FLUSHALL first"), c.do(of...))
	ok(c.do("SET", "mine", "2"))
	ok(c.do("FLUSHALL"))
	c.steadily(func(leader int) string {
		reply := c.ask(c.notLeader(leader), of...)
		if !strings.HasPrefix(reply, "MOVED ") || !strings.HasSuffix(reply, fmt.Sprint(":", c.ports[leader])) {
			return reply
		}
		return ""
	})
	ok(c.do(of...))
	require.Equal(t, readOnly, c.do("SET", "mine", "3"))
	c.requireEqual(m)

	for round := range 3 {
		m.Do("INCR", "n")
		m.Do("SELECT", 5)
		m.Do("RPUSH", "five", round)
		m.Do("SELECT", 0)
		m.Do("MULTI")
		m.Do("INCRBY", "n", 5)
		m.Do("HSET", "h", "f", round)
		m.Do("EXEC")
		leader := c.leader()
		if round == 1 {
			c.end(leader)
		} else {
			c.failover()
		}
		m.Do("INCR", "n")
		if round == 1 {
			c.start(leader)
			c.awaitEqualViews()
		}
		require.Equal(t, readOnly, c.do("SET", "mine", "3"))
		c.requireEqual(m)
	}
	require.Equal(t, "21", c.do("GET", "n"))
	require.Equal(t, "0", c.info(c.leader(), "replication", "master_full_copies"), "the new leader has continued")
	roleOf := func(i int) []any {
		return resptest.Dial(t, fmt.Sprint("127.0.0.1:", c.ports[i])).Do("ROLE").([]any)[:3]
	}
	leader := c.leader()
	require.Equal(t, []any{"slave", "127.0.0.1", int64(redis.port)}, roleOf(leader))
	for _, i := range c.followers() {
		require.Equal(t, fmt.Sprint("127.0.0.1:", redis.port), c.info(i, "replication", "cluster_follows"))
		require.Equal(t, []any{"slave", "127.0.0.1", int64(c.ports[leader])}, roleOf(i))
	}
	ok(c.do("REPLICAOF", "NO", "ONE"))
	require.Equal(t, "master", roleOf(c.leader())[0])
	ok(c.do("SET", "n", "100"))
	m.Do("INCR", "n")
	for i := range c.nodes {
		c.read(i, "n", "100")
		require.Empty(t, c.info(i, "replication", "cluster_follows"))
	}
	c.failover()
	ok(c.do("SET", "n", "101"))
}

// TestStoppedMoveIntoACluster: what stops a move stops it here, too. Each node says why, also after the next leader.
func TestStoppedMoveIntoACluster(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	ok(t, m, "SET", "a", "1")
	c := newCluster(t, "--cluster-node-timeout", "3000") // as above
	of := []any{"REPLICAOF", "127.0.0.1", redis.port}
	require.Equal(t, resptest.Simple("OK"), c.do(of...))
	c.requireEqual(m)
	m.Do("MULTI")
	m.Do("INCR", "a")
	m.Do("SETBIT", "bits", "7", "1")
	m.Do("EXEC")
	stopped := func() {
		t.Helper()
		for i := range c.nodes {
			c.eventually("a server does not say why the move stops", func() bool {
				return c.info(i, "replication", "master_link_stopped") == "1" &&
					strings.Contains(c.info(i, "replication", "master_link_error"), "SETBIT")
			})
		}
		require.Contains(t, fmt.Sprint(c.do("SET", "a", "7")), "READONLY")
	}
	stopped()
	c.failover()
	stopped()
	for i := range c.nodes {
		conn := c.nodes[i].dial(t)
		ok(t, conn, "CONFIG", "SET", "rdb-skip-unsupported", "yes")
		conn.Close()
	}
	require.Equal(t, resptest.Simple("OK"), c.do(of...))
	c.caughtUp(m)
	require.Equal(t, `"command SETBIT"=1`, c.info(c.leader(), "replication", "master_left_out"))
	require.Equal(t, "2", c.do("GET", "a"))
	c.failover()
	m.Do("SET", "a", "3")
	c.caughtUp(m)
	require.Equal(t, `"command SETBIT"=1`, c.info(c.leader(), "replication", "master_left_out"))
	require.Equal(t, resptest.Simple("OK"), c.do("REPLICAOF", "NO", "ONE"))
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "4"))
}

// TestWhatAMasterMayNotChange: the rules of the cluster, and whom it follows, are no keys of the master. They stay also if
// the copy has such keys, or if the master empties and swaps databases, or sends a rule.
func TestWhatAMasterMayNotChange(t *testing.T) {
	other := start(t)
	o := other.dial(t)
	ok(t, o, "CL.RULE", "SET", "theirs", "1/minute")
	ok(t, o, "SET", "k", "v")
	ok(t, o, "SAVE")
	copied, err := os.ReadFile(filepath.Join(other.server.Config().Dir, "dump.rdb"))
	require.NoError(t, err)
	require.Contains(t, string(copied), "theirs")
	c := newCluster(t, "--cluster-node-timeout", "3000") // a busy machine does not depose the leader of this connection
	conn := c.nodes[c.leader()].dial(t)
	ok(t, conn, "CL.RULE", "SET", "ours", "2/minute")
	rules := conn.Do("CL.RULE", "LIST")
	ok(t, conn, "SET", "mine", "1")
	port := startCopy(t, string(copied), nil, resps("SELECT 0", "FLUSHALL", "SWAPDB 0 3", "MULTI", "SET a 1", "SELECT 3", "SET b 2",
		"EXEC", "SELECT 0", "SET end 1", "CL.RULE SET theirs 9/minute"))
	ok(t, conn, "MULTI")
	require.Equal(t, resptest.Simple("QUEUED"), conn.Do("FLUSHALL"))
	require.Equal(t, resptest.Simple("QUEUED"), conn.Do("REPLICAOF", "127.0.0.1", port))
	require.Equal(t, resptest.Simple("QUEUED"), conn.Do("SET", "mine", "2"))
	require.Equal(t, []any{resptest.Simple("OK"), resptest.Simple("OK"),
		resptest.Error("READONLY You can't write against a read only replica.")}, conn.Do("EXEC"))
	for i := range c.nodes {
		c.eventually("the move does not stop", func() bool {
			return strings.Contains(c.info(i, "replication", "master_link_error"), "cl.rule|set")
		})
		require.Equal(t, rules, c.at(i).Do("CL.RULE", "LIST"))
	}
	for key, value := range map[string]any{"a": "1", "b": resptest.NilBulk, "k": resptest.NilBulk, "end": "1"} {
		require.Equal(t, value, conn.Do("GET", key), key)
	}
	ok(t, conn, "REPLICAOF", "NO", "ONE")
	ok(t, conn, "SET", "mine", "2")
	require.Equal(t, rules, conn.Do("CL.RULE", "LIST"))
}

// TestImportedClustersFollowNobody: a cluster with the keys of a server that followed takes writes.
func TestImportedClustersFollowNobody(t *testing.T) {
	in := start(t)
	single := in.dial(t)
	ok(t, single, "REPLICAOF", "127.0.0.1", startFake(t, resps("SELECT 0", "SET end 1")))
	require.Eventually(t, func() bool { return single.Do("GET", "end") == "1" }, timeout, time.Millisecond)
	ok(t, single, "SAVE")
	c := &testCluster{t: t, nodes: make([]*instance, 1), ports: []int{porttest.Free(t)}, dirs: []string{t.TempDir()}}
	_, err := ImportCluster(c.config(0), filepath.Join(in.server.Config().Dir, "dump.rdb"))
	require.NoError(t, err)
	c.start(0)
	c.awaitEqualViews()
	require.Equal(t, "1", c.do("GET", "end"))
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "end", "2"))
}
