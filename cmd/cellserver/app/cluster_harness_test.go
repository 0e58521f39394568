package app

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/topology"
	"cellserver/resp/resptest"

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

// steadily runs a part of a test in which the leader stays. A busy machine may change the leader meanwhile; then steadily runs the
// part again. failure is what is wrong, "" for nothing.
func (c *testCluster) steadily(part func(leader int) (failure string)) {
	c.t.Helper()
	c.eventually("the leader changes again and again", func() bool {
		c.awaitEqualViews()
		leader := c.leader()
		epoch := c.nodes[leader].member.Epoch()
		failure := part(leader)
		if failure != "" && epoch != 0 && epoch == c.nodes[leader].member.Epoch() {
			c.t.Fatal(failure)
		}
		if failure != "" {
			c.t.Log("again, because the leader has changed: ", failure)
		}
		return failure == ""
	})
}

// notLeader returns a running server that does not lead.
func (c *testCluster) notLeader(leader int) int {
	for i, in := range c.nodes {
		if in != nil && i != leader {
			return i
		}
	}
	c.t.Fatal("no other server runs")
	return 0
}

// try sends a command to a server on a connection of its own.
func (c *testCluster) try(i int, args ...any) (any, error) { return c.exchange(i, args) }

// readOnly is try for a READONLY client.
func (c *testCluster) readOnly(i int, args ...any) (any, error) {
	return c.exchange(i, []any{"READONLY"}, args)
}

// exchange sends commands to a server on a connection of their own, and returns the last reply.
func (c *testCluster) exchange(i int, commands ...[]any) (reply any, err error) {
	nc, err := net.DialTimeout("tcp", fmt.Sprint("127.0.0.1:", c.ports[i]), timeout)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if err := nc.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	conn := resptest.New(c.t, nc)
	for _, command := range commands {
		if _, err := nc.Write(resptest.Command(command...)); err != nil {
			return nil, err
		}
		if reply, err = conn.TryRecv(); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// ask is try, with the reply or the error as text.
func (c *testCluster) ask(i int, args ...any) string {
	reply, err := c.try(i, args...)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(reply)
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

// read waits until a server shows a value of a key to a READONLY client. A server that does not lead any more closes its connections.
func (c *testCluster) read(i int, key, value string) {
	c.t.Helper()
	c.eventually(fmt.Sprintf("node %d does not show %s", i, key), func() bool {
		reply, err := c.readOnly(i, "GET", key)
		return err == nil && fmt.Sprint(reply) == value
	})
}

// replaces requires a value, and writes another one. A client of a busy machine may send a write twice, so this is no INCR.
func (c *testCluster) replaces(key, old, next string) {
	c.t.Helper()
	require.Equal(c.t, old, fmt.Sprint(c.do("GET", key)))
	require.Equal(c.t, resptest.Simple("OK"), c.do("SET", key, next))
}

// differs returns what is wrong if two texts differ.
func differs(want, got string) string {
	if want == got {
		return ""
	}
	return fmt.Sprintf("%q in place of %q", got, want)
}
