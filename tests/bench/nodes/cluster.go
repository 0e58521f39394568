package nodes

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cellserver/resp/resptest"
	"cellserver/tests/bench/server"
)

// Cluster is a cluster of cellserver, one server, or Redis with a replica.
type Cluster struct {
	all []*process
}

// Start starts a cluster, and waits until it serves. With 0 nodes it starts one server without cluster mode.
func Start(ctx context.Context, program string, nodes int, options ...string) (c *Cluster, err error) {
	c = &Cluster{}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	for range max(nodes, 1) {
		p, err := newProcess(true)
		if err != nil {
			return c, err
		}
		p.argv = append(p.command(program), options...)
		c.all = append(c.all, p)
	}
	if nodes == 0 {
		return c, c.begin(ctx, func() bool { _, err := c.all[0].ask("PING"); return err == nil })
	}
	for _, p := range c.all {
		p.argv = append(append(p.argv, "--cluster-enabled", "yes", "--cluster-nodes"), c.Addrs()...)
	}
	return c, c.Heal(ctx)
}

// StartReplicated starts Redis with a replica, and waits until the replica is in sync. The master is node 0.
func StartReplicated(ctx context.Context) (c *Cluster, err error) {
	c = &Cluster{}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	for i := range 2 {
		p, err := newProcess(false)
		if err != nil {
			return c, err
		}
		p.argv = append(p.command("redis-server"), "--appendonly", "no")
		if i > 0 {
			p.argv = append(p.argv, "--replicaof", "127.0.0.1", strconv.Itoa(c.all[0].port))
		}
		c.all = append(c.all, p)
	}
	return c, c.begin(ctx, func() bool {
		text, err := c.all[1].info("replication")
		return err == nil && server.Field(text, "master_link_status") == "up"
	})
}

// command returns the command of a server in its place.
func (p *process) command(program string) []string {
	port := strconv.Itoa(p.port)
	return []string{program, "--port", port, "--bind", "127.0.0.1", "--dir", p.dir, "--save", ""}
}

// begin starts what does not run, and waits until a condition holds.
func (c *Cluster) begin(ctx context.Context, holds func() bool) error {
	for _, p := range c.all {
		if p.cmd == nil {
			if err := p.start(ctx); err != nil {
				return err
			}
		}
	}
	err := await(ctx, "the deployment is healthy", holds)
	if err != nil {
		for _, p := range c.all {
			err = fmt.Errorf("%w\n%s", err, p.log.String())
		}
	}
	return err
}

// Addrs returns the addresses of all nodes.
func (c *Cluster) Addrs() (all []string) {
	for _, p := range c.all {
		all = append(all, p.addr())
	}
	return all
}

// Stop ends all processes.
func (c *Cluster) Stop() {
	for _, p := range c.all {
		p.remove()
	}
}

// Leader returns the index of the leader. A server that is alone leads.
func (c *Cluster) Leader(ctx context.Context) (leader int, err error) {
	err = await(ctx, "a node leads", func() bool {
		leader = slices.IndexFunc(c.all, func(p *process) bool {
			if p.cmd == nil {
				return false
			}
			reply, err := p.ask("ROLE")
			list, ok := reply.([]any)
			return err == nil && ok && list[0] == "master"
		})
		return leader >= 0
	})
	return leader, err
}

// Heal starts what does not run, and waits until all nodes vote and have the entries of the leader.
func (c *Cluster) Heal(ctx context.Context) error { return c.begin(ctx, c.isHealthy) }

func (c *Cluster) isHealthy() bool {
	size, least, most := strconv.Itoa(len(c.all)), 0, 0
	for i, p := range c.all {
		text, err := p.info("cluster")
		voters, healthy := server.Field(text, "cluster_voters"), server.Field(text, "cluster_nodes_healthy")
		if err != nil || server.Field(text, "cluster_state") != "ok" || voters != size || healthy != size {
			return false
		}
		applied, err := strconv.Atoi(server.Field(text, "cluster_applied_index"))
		if err != nil {
			return false
		}
		if least, most = min(least, applied), max(most, applied); i == 0 {
			least = applied
		}
	}
	return most-least < 1000 // clients still write
}

// Kill ends a node by kill -9.
func (c *Cluster) Kill(i int) { c.all[i].kill() }

// PIDs returns the processes of all nodes, the given one first.
func (c *Cluster) PIDs(first int) []int {
	pids := []int{c.all[first].cmd.Process.Pid}
	for i, p := range c.all {
		if i != first && p.cmd != nil {
			pids = append(pids, p.cmd.Process.Pid)
		}
	}
	return pids
}

// Addr returns the address of a node.
func (c *Cluster) Addr(i int) string { return c.all[i].addr() }

// Moved returns the address in a MOVED error; "" if it is another error.
func Moved(err resptest.Error) string {
	words := strings.Fields(string(err))
	if len(words) == 3 && words[0] == "MOVED" {
		return words[2]
	}
	return ""
}
