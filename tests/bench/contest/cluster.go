package contest

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// Cluster is several servers, of which one decides.
type Cluster []*Server

// StartCluster starts a cluster of cellserver, and waits until it serves.
func StartCluster(t testing.TB, o Options, size int) (c Cluster) {
	for range size {
		c = append(c, Ours(o).place(t, o.Core))
	}
	for _, s := range c {
		s.argv = append(s.argv, "--cluster-enabled", "yes", "--cluster-nodes")
		for _, other := range c {
			s.argv = append(s.argv, other.Addr)
		}
	}
	c.Heal(t)
	return c
}

// StartReplicated starts Redis with a replica, and waits until the replica is in sync. The master is the
// first one.
func StartReplicated(t testing.TB, o Options) Cluster {
	redis := Kinds(o)[0]
	master := redis.Start(t, o.Core)
	host, port, _ := net.SplitHostPort(master.Addr)
	redis.Argv = append(slices.Clone(redis.Argv), "--replicaof", host, port)
	replica := redis.Start(t, o.Core)
	await(t, "the replica is in sync", func() bool { return replica.info("master_link_status") == "up" })
	return Cluster{master, replica}
}

// Stop ends all servers.
func (c Cluster) Stop() {
	for _, s := range c {
		s.Stop()
	}
}

// Leader returns the node that leads.
func (c Cluster) Leader(t testing.TB) (leader *Server) {
	await(t, "a node leads", func() bool {
		for _, leader = range c {
			reply, err := ask(leader.Addr, "ROLE")
			if list, ok := reply.([]any); err == nil && ok && list[0] == "master" {
				return true
			}
		}
		return false
	})
	return leader
}

// Heal starts what does not run, and waits until all nodes vote and have the entries of the leader.
func (c Cluster) Heal(t testing.TB) {
	for _, s := range c {
		if s.process == nil {
			s.begin(t)
		}
	}
	await(t, "the cluster is healthy", func() bool {
		least, most, size := -1, 0, strconv.Itoa(len(c))
		for _, s := range c {
			applied, err := strconv.Atoi(s.info("cluster_applied_index"))
			if err != nil || s.info("cluster_state") != "ok" || s.info("cluster_voters") != size ||
				s.info("cluster_nodes_healthy") != size {
				return false
			}
			if least < 0 || applied < least {
				least = applied
			}
			most = max(most, applied)
		}
		return most-least < 1000 // clients may still write
	})
}

// PIDs returns the processes of all servers, the given one first.
func (c Cluster) PIDs(first *Server) []int {
	pids := []int{first.PID()}
	for _, s := range c {
		if s != first {
			pids = append(pids, s.PID())
		}
	}
	return pids
}

// Silence ends the leader by kill -9 while clients write. It returns the longest time of a client without a
// reply, until each client has a reply to a command that it has sent later.
func (c Cluster) Silence(t testing.TB, clients int) time.Duration {
	var killed atomic.Pointer[time.Time]
	var begun, working sync.WaitGroup
	longest, failed := make([]time.Duration, clients), make([]error, clients)
	for i := range clients {
		begun.Add(1)
		working.Go(func() { longest[i], failed[i] = c.write(fmt.Sprint("writer:", i), &killed, begun.Done) })
	}
	begun.Wait()
	c.Leader(t).Kill()
	now := time.Now()
	killed.Store(&now)
	working.Wait()
	require.NoError(t, errors.Join(failed...))
	return slices.Max(longest)
}

// write increments a counter until a command that was sent after the kill has a reply. It follows MOVED,
// and asks the next node after any other error. begun is called once, after the first reply.
func (c Cluster) write(
	key string, killed *atomic.Pointer[time.Time], begun func(),
) (longest time.Duration, err error) {
	begun = sync.OnceFunc(begun)
	defer begun()
	var link *resptest.Client
	var last time.Time // of a reply
	addr, next := c[0].Addr, 0
	for end := time.Now().Add(processtest.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		sent := time.Now()
		if link == nil {
			link, err = resptest.Open(addr)
		}
		if err == nil {
			_, err = do(link, "INCR", key)
		}
		if err != nil {
			if link != nil {
				link.Close()
			}
			next++
			link, addr = nil, cmp.Or(moved(err), c[next%len(c)].Addr)
			continue
		}
		now := time.Now()
		if !last.IsZero() {
			longest = max(longest, now.Sub(last))
		}
		last = now
		begun()
		if at := killed.Load(); at != nil && sent.After(*at) {
			link.Close()
			return longest, nil
		}
	}
	return longest, errors.New("a client has no reply after the death of the leader")
}

// moved returns the address in a MOVED error; "" if it is another error.
func moved(err error) string {
	words := strings.Fields(err.Error())
	if len(words) == 3 && words[0] == "MOVED" {
		return words[2]
	}
	return ""
}
