package nodes

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cellserver/resp/resptest"
)

// Cluster is a cluster of cellserver.
type Cluster struct {
	all []*process
}

// StartCluster starts a cluster, and waits until it serves.
func StartCluster(ctx context.Context, program string, nodes int) (c *Cluster, err error) {
	c = &Cluster{}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	for range nodes {
		if err := c.place(program); err != nil {
			return c, err
		}
	}
	for _, p := range c.all {
		p.argv = append(append(p.argv, "--cluster-enabled", "yes", "--cluster-nodes"), c.Addrs()...)
		if err := p.start(ctx); err != nil {
			return c, err
		}
	}
	return c, c.Heal(ctx)
}

// StartAlone starts one server without cluster mode, with more options, and waits until it serves. The Cluster has only its
// process.
func StartAlone(ctx context.Context, program string, options ...string) (c *Cluster, err error) {
	c = &Cluster{}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	if err := c.place(program, options...); err != nil {
		return c, err
	}
	if err := c.all[0].start(ctx); err != nil {
		return c, err
	}
	return c, await(ctx, "the server answers", func() bool { _, err := c.all[0].ask("PING"); return err == nil })
}

// place adds a process that does not run yet.
func (c *Cluster) place(program string, options ...string) error {
	p, err := newProcess(true)
	if err != nil {
		return err
	}
	p.argv = append([]string{program, "--port", strconv.Itoa(p.port), "--bind", "127.0.0.1", "--dir", p.dir, "--save", ""}, options...)
	c.all = append(c.all, p)
	return nil
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
func (c *Cluster) Heal(ctx context.Context) error {
	for _, p := range c.all {
		if p.cmd == nil {
			if err := p.start(ctx); err != nil {
				return err
			}
		}
	}
	err := await(ctx, "the cluster is healthy", c.isHealthy)
	if err != nil {
		for _, p := range c.all {
			err = fmt.Errorf("%w\n%s", err, p.log.String())
		}
	}
	return err
}

func (c *Cluster) isHealthy() bool {
	size, least, most := strconv.Itoa(len(c.all)), 0, 0
	for i, p := range c.all {
		text, err := p.info("cluster")
		if err != nil || field(text, "cluster_state") != "ok" || field(text, "cluster_voters") != size || field(text, "cluster_nodes_healthy") != size {
			return false
		}
		applied, err := strconv.Atoi(field(text, "cluster_applied_index"))
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

// Lead makes a node the leader, as planned.
func (c *Cluster) Lead(i int) error {
	_, err := c.all[i].ask("CLUSTER", "FAILOVER")
	return err
}

// Snapshot makes a node take a snapshot, and waits until it is on the disk.
func (c *Cluster) Snapshot(ctx context.Context, i int) error {
	before := c.all[i].snapshot()
	if _, err := c.all[i].ask("BGREWRITEAOF"); err != nil {
		return err
	}
	return await(ctx, "a snapshot", func() bool { return c.all[i].snapshot() != before })
}

// snapshot returns the name of the newest snapshot on the disk. While Raft writes one, its name ends in ".tmp".
func (p *process) snapshot() string {
	all, err := filepath.Glob(filepath.Join(p.dir, "raft", "snapshots", "*[0-9]"))
	if err != nil || len(all) == 0 {
		return ""
	}
	written := func(name string) string { return name[strings.LastIndexByte(name, '-'):] } // milliseconds
	return slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(written(a), written(b)) })
}

// Return starts a node that was killed. It returns how long the node takes until it has all that the leader had then.
func (c *Cluster) Return(ctx context.Context, i, leader int) (time.Duration, error) {
	text, err := c.all[leader].info("cluster")
	if err != nil {
		return 0, err
	}
	want, err := strconv.Atoi(field(text, "cluster_applied_index"))
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := c.all[i].start(ctx); err != nil {
		return 0, err
	}
	err = await(ctx, "the node is back", func() bool {
		text, err := c.all[i].info("cluster")
		applied, _ := strconv.Atoi(field(text, "cluster_applied_index"))
		return err == nil && field(text, "cluster_state") == "ok" && applied >= want
	})
	return time.Since(begun), err
}

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
