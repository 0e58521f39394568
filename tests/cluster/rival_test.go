package cluster

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// startRedisCluster starts a Redis Cluster of three masters with a replica each. The first master has all slots
// but two, so that its death concerns each key, as the death of the leader does.
func startRedisCluster(t *testing.T) *processes {
	t.Helper()
	p := &processes{t: t}
	p.command = p.commandOfRedis
	for range 6 {
		n := &node{bin: "redis-server", host: "127.0.0.1", dir: t.TempDir()}
		n.port, n.bus = porttest.Free(t), porttest.Free(t)
		p.nodes = append(p.nodes, n)
	}
	t.Cleanup(p.end)
	for i := range p.nodes {
		p.run(i)
	}
	for i := range p.nodes {
		p.eventually("a node of Redis does not answer", func() bool {
			_, err := p.ask(i, "PING")
			return err == nil
		})
	}
	first := p.nodes[0]
	for i := range p.nodes[1:] {
		p.mustAsk(i+1, "CLUSTER", "MEET", first.host, first.port, first.bus)
	}
	for i, slots := range []string{"0 16381", "16382 16382", "16383 16383"} {
		from, to, _ := strings.Cut(slots, " ")
		p.mustAsk(i, "CLUSTER", "ADDSLOTSRANGE", from, to)
		id := p.mustAsk(i, "CLUSTER", "MYID")
		p.eventually("a replica does not know its master", func() bool {
			reply, err := p.ask(i+3, "CLUSTER", "REPLICATE", id)
			return err == nil && fmt.Sprint(reply) == "OK"
		})
	}
	p.healRedis()
	return p
}

// mustAsk is ask for a command that does not fail.
func (p *processes) mustAsk(i int, args ...any) any {
	p.t.Helper()
	reply, err := p.ask(i, args...)
	require.NoError(p.t, err)
	return reply
}

// commandOfRedis returns the command that starts a node of a Redis Cluster.
func (p *processes) commandOfRedis(i int) *exec.Cmd {
	n := p.nodes[i]
	return exec.Command(n.bin, "--port", strconv.Itoa(n.port), "--cluster-port", strconv.Itoa(n.bus), "--bind", n.host,
		"--dir", n.dir, "--save", "", "--repl-diskless-sync-delay", "0", "--cluster-enabled", "yes",
		"--cluster-node-timeout", strconv.Itoa(int(nodeTimeout.Milliseconds())))
}

// healRedis starts what does not run, and waits until each node sees three masters and three replicas.
func (p *processes) healRedis() {
	p.t.Helper()
	for i, n := range p.nodes {
		if n.running == nil {
			p.run(i)
		}
	}
	p.eventually("the Redis Cluster does not heal", func() bool {
		for i := range p.nodes {
			if !p.settled(i) {
				return false
			}
		}
		return true
	})
}

// settled reports whether a node of Redis sees a whole cluster, and has the keys of its master if it has one.
func (p *processes) settled(i int) bool {
	text := func(args ...any) string {
		reply, _ := p.ask(i, args...) // it is no text if there is no reply
		return fmt.Sprint(reply)
	}
	nodes, role := text("CLUSTER", "NODES"), text("ROLE")
	return strings.Contains(text("CLUSTER", "INFO"), "cluster_state:ok") &&
		!strings.Contains(nodes, "fail") &&
		strings.Count(nodes, "master") == 3 && strings.Count(nodes, "slave") == 3 &&
		(strings.HasPrefix(role, "[master") || strings.Contains(role, " connected "))
}
