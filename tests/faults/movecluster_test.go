package faults

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// three are the nodes of a cluster.
type three struct {
	t     *testing.T
	nodes [3]*server
	whole [3]*server // the same nodes, for clients that do not know slots
	dirs  [3]string
}

// newThree starts the nodes of a cluster.
func newThree(t *testing.T) *three {
	c := &three{t: t}
	for i := range c.nodes {
		c.dirs[i] = t.TempDir()
		c.nodes[i] = &server{program: subject(t)}
		c.nodes[i].fixed = fmt.Sprint(porttest.Free(t))
		c.whole[i] = &server{addr: fmt.Sprint("127.0.0.1:", porttest.Free(t))}
	}
	for i := range c.nodes {
		c.start(i)
	}
	c.settled()
	return c
}

func (c *three) start(i int) {
	args := []string{"--cluster-enabled", "yes", "--cluster-node-timeout", "300", "--sentinel-port",
		strings.TrimPrefix(c.whole[i].addr, "127.0.0.1:"), "--cluster-nodes"}
	for _, n := range c.nodes {
		args = append(args, "127.0.0.1:"+n.fixed)
	}
	c.nodes[i] = c.nodes[i].launch(c.t, c.dirs[i], args...)
	c.whole[i].log = c.nodes[i].log
}

// field returns a field of INFO of a node, "" if it does not answer.
func (c *three) field(i int, name string) string {
	conn, err := dial(c.nodes[i].addr)
	if err != nil {
		return ""
	}
	defer conn.close()
	reply, err := conn.do("INFO", "everything")
	if err != nil {
		return ""
	}
	return infoFields(reply)[name]
}

// leader waits until a node leads, and returns its number.
func (c *three) leader() (leader int) {
	c.t.Helper()
	require.True(c.t, within(patience, func() (bool, error) {
		for i := range c.nodes {
			if leader = i; c.field(i, "cluster_leads") == "1" {
				return true, nil
			}
		}
		return false, nil
	}), "%s", c.nodes[0].output())
	return leader
}

// settled waits until all nodes take part.
func (c *three) settled() {
	c.t.Helper()
	require.True(c.t, within(patience, func() (bool, error) {
		for i := range c.nodes {
			if c.field(i, "cluster_state") != "ok" || c.field(i, "cluster_nodes_healthy") != "3" {
				return false, nil
			}
		}
		return true, nil
	}), "%s", c.nodes[0].output())
}

// do sends a command to the leader until it is done.
func (c *three) do(args ...any) {
	c.t.Helper()
	last := any(nil)
	require.True(c.t, within(patience, func() (bool, error) {
		conn, err := dial(c.nodes[c.leader()].addr)
		if err != nil {
			return false, nil
		}
		defer conn.close()
		last, err = conn.do(args...)
		return err == nil && last == resptest.Simple("OK"), nil
	}), "%v", last)
}

// kill kills the leader, and starts it again.
func (c *three) kill() {
	leader := c.leader()
	c.nodes[leader].kill()
	c.start(leader)
}

// caughtUp waits until all nodes have all that the master has. Nobody else writes to the master, which hears of a
// write when a majority has it.
func (c *three) caughtUp(master *server) {
	c.t.Helper()
	c.settled()
	conn, err := dial(master.addr)
	require.NoError(c.t, err)
	defer conn.close()
	require.True(c.t, within(10*patience, func() (bool, error) {
		if _, err := conn.do("SET", "mark", "1"); err != nil {
			return false, err
		}
		n, err := conn.do("WAIT", 1, 5000)
		return n == int64(1), err
	}), "%s", c.nodes[c.leader()].output())
	committed := c.index(c.leader(), "cluster_commit_index")
	for i := range c.nodes {
		require.True(c.t, within(patience, func() (bool, error) {
			return c.index(i, "cluster_applied_index") >= committed, nil
		}), "%s", c.nodes[i].output())
	}
}

// index returns an index of the log that a node shows, 0 if it does not answer.
func (c *three) index(i int, field string) (index int) {
	_, _ = fmt.Sscan(c.field(i, field), &index)
	return index
}

// equal requires that each node has all keys of the master.
func (c *three) equal(master *server) {
	c.t.Helper()
	want := contents(c.t, master)
	for i, node := range c.whole {
		var has map[string]string
		err := error(nil)
		require.True(c.t, within(patience, func() (bool, error) { // it may hear from the leader too late to read
			has, err = node.contents()
			return err == nil, nil
		}), "%v", err)
		require.True(c.t, same(c.t, want, has), "node %d:\n%s", i, c.nodes[i].output())
	}
}

// TestMoveIntoAClusterThroughKills kills the leader of a cluster that follows a Redis, in the copy and in the stream,
// and cuts the link, while clients write to the Redis. All nodes have every acknowledged write in the end.
func TestMoveIntoAClusterThroughKills(t *testing.T) {
	t.Parallel()
	r, from := random(t), theRedis(t)
	master := from.start(t, t.TempDir(), "--save", "", "--repl-diskless-sync-delay", "0")
	master.do(t, "DEBUG", "POPULATE", 20_000, "old", 100)
	c := newThree(t)
	l := newLoad(from, rand.New(rand.NewSource(r.Int63())), 10, 20, 8)
	l.begin(master.addr)
	c.do("REPLICAOF", "127.0.0.1", master.port())
	for round := range rounds(3, 60) {
		size := [2]string{"16kb", "64mb"}[round%2] // the next leader takes a copy, or continues
		master.do(t, "CONFIG", "SET", "repl-backlog-size", size)
		time.Sleep(time.Duration(r.Int63n(int64(300 * time.Millisecond))))
		c.kill()
		if round%3 == 0 {
			time.Sleep(time.Duration(r.Int63n(int64(100 * time.Millisecond))))
			master.do(t, "CLIENT", "KILL", "TYPE", "replica")
		}
		c.settled()
	}
	l.end(t)
	c.caughtUp(master)
	c.do("REPLICAOF", "NO", "ONE")
	c.equal(master)
	v := l.check(t, master, time.Now()) // the nodes are equal to it, and may refuse a read for a moment
	v.nothingLost(t, c.nodes[0])
	require.Positive(t, v.acked)
	c.do("SET", "mine", "1")
	c.kill()
	c.settled()
	c.do("SET", "mine", "2")
	t.Logf("%d acknowledged writes", v.acked)
}
