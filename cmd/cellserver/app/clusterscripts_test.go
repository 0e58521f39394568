package app

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// endless starts a script without an end on a server. ended gets its reply, or the end of its connection.
func (c *testCluster) endless(i int, name, body string) (ended <-chan string) {
	c.t.Helper()
	nc, err := net.DialTimeout("tcp", fmt.Sprint("127.0.0.1:", c.ports[i]), timeout)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = nc.Close() })
	conn := resptest.New(c.t, nc)
	_, err = nc.Write(append(resptest.Command("READONLY"), resptest.Command(name, body+" while true do end", 1, "a")...))
	require.NoError(c.t, err)
	_, err = conn.TryRecv()
	require.NoError(c.t, err)
	done := make(chan string, 1)
	go func() {
		reply, err := conn.TryRecv()
		done <- fmt.Sprint(reply, err)
	}()
	if name == "EVAL_RO" {
		return done
	}
	require.Equal(c.t, "OK", c.ask(i, "CONFIG", "SET", "busy-reply-threshold", "1"))
	c.eventually("the script does not run", func() bool {
		return len(done) > 0 || strings.HasPrefix(c.ask(i, "GET", "a"), "BUSY ")
	})
	require.Equal(c.t, "OK", c.ask(i, "CONFIG", "SET", "busy-reply-threshold", "5000"))
	return done
}

// A leader whose clients run a script without an end confirms changes, also while it takes a snapshot.
func TestASnapshotDoesNotWaitForAScript(t *testing.T) {
	c := newCluster(t)
	leader := c.leader()
	ended := c.endless(leader, "EVAL", "redis.call('INCR', KEYS[1])")
	require.Contains(t, c.ask(leader, "BGREWRITEAOF"), "started")
	for i := range 100 {
		require.Equal(t, resptest.Simple("OK"), c.do("SET", "b", i))
	}
	require.NotEmpty(t, <-ended)
	require.Equal(t, resptest.NilBulk, c.do("GET", "a"), "the changes of the script are taken back")
}

// A leader that loses the lead ends its scripts: otherwise its clients would wait for them, and so would the next epoch.
func TestALeaderThatLosesTheLeadEndsItsScripts(t *testing.T) {
	c := newCluster(t)
	leader, followers := c.leader(), c.followers()
	ended := c.endless(leader, "EVAL", "redis.call('INCR', KEYS[1])")
	for _, i := range followers {
		c.end(i)
	}
	require.NotEmpty(t, <-ended)
	for _, i := range followers {
		c.start(i)
	}
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "b", 1))
	require.Equal(t, resptest.NilBulk, c.do("GET", "a"), "the changes of the script are taken back")
}

// Scripts of readers do not keep the followers from taking entries, and so the leader from confirming changes.
func TestFollowersDoNotWaitForScripts(t *testing.T) {
	c := newCluster(t)
	c.steadily(func(leader int) string {
		var ended []<-chan string
		require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "first"))
		for _, i := range c.followers() {
			c.read(i, "a", "first")
			ended = append(ended, c.endless(i, "EVAL_RO", ""))
		}
		const most = 400 // raft has room for 128 entries that are not applied yet
		for i := 0; i < most || len(ended[0]) == 0 || len(ended[1]) == 0; i++ {
			if reply := c.ask(leader, "SET", "a", i); reply != "OK" {
				return reply
			}
		}
		if first := <-ended[0]; !strings.Contains(first, "its cluster needs the keys") {
			return first
		}
		return ""
	})
}

// A script without an end keeps no leader from giving way, for CLUSTER FAILOVER and for a stop.
func TestALeaderWithAScriptGivesWay(t *testing.T) {
	c := newCluster(t, "--cluster-node-timeout", "4000")
	const body = "redis.call('INCR', KEYS[1])"
	c.steadily(func(leader int) string {
		ended := c.endless(leader, "EVAL", body)
		if reply := c.ask(c.notLeader(leader), "CLUSTER", "FAILOVER"); reply != "OK" {
			return reply
		}
		require.NotEmpty(t, <-ended)
		return ""
	})
	for _, stop := range []func(leader int){
		func(leader int) { _, _ = c.try(leader, "SHUTDOWN", "NOSAVE") },
		func(leader int) { c.nodes[leader].stop() },
	} {
		c.awaitEqualViews()
		leader := c.leader()
		ended := c.endless(leader, "EVAL", body)
		stop(leader)
		c.nodes[leader].wait(t)
		c.nodes[leader] = nil
		require.NotEmpty(t, <-ended)
		c.start(leader)
	}
	require.Equal(t, resptest.NilBulk, c.do("GET", "a"), "the changes of the scripts are taken back")
}
