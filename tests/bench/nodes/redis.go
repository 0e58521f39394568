package nodes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Replicated is Redis with one replica, and maybe with sentinels.
type Replicated struct {
	master, replica *process
	sentinels       []*process
}

// StartReplicated starts Redis with a replica, and waits until the replica is in sync. With sentinels, it also waits
// until they know each other. A sentinel counts a silent master as down after a second, and two of three sentinels must
// agree.
func StartReplicated(ctx context.Context, sentinels int) (r *Replicated, err error) {
	r = &Replicated{}
	defer func() {
		if err != nil {
			r.Stop()
		}
	}()
	if r.master, err = startRedis(ctx); err != nil {
		return r, err
	}
	if r.replica, err = startRedis(ctx, "--replicaof", "127.0.0.1", strconv.Itoa(r.master.port)); err != nil {
		return r, err
	}
	for range sentinels {
		s, err := r.startSentinel(ctx)
		if err != nil {
			return r, err
		}
		r.sentinels = append(r.sentinels, s)
	}
	return r, await(ctx, "Redis has a replica and sentinels", r.isHealthy)
}

func startRedis(ctx context.Context, more ...string) (*process, error) {
	p, err := newProcess(false)
	if err != nil {
		return nil, err
	}
	p.argv = append([]string{"redis-server", "--port", strconv.Itoa(p.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"}, more...)
	return p, p.start(ctx)
}

// startSentinel starts a sentinel. It rewrites its file, so the file is in its folder.
func (r *Replicated) startSentinel(ctx context.Context) (*process, error) {
	p, err := newProcess(false)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor mymaster 127.0.0.1 %d 2\nsentinel down-after-milliseconds mymaster 1000\n"+
		"sentinel failover-timeout mymaster 10000\n", p.port, r.master.port)
	path := filepath.Join(p.dir, "sentinel.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	p.argv = []string{"redis-server", path, "--sentinel"}
	return p, p.start(ctx)
}

func (r *Replicated) isHealthy() bool {
	text, err := r.replica.info("replication")
	if err != nil || field(text, "master_link_status") != "up" {
		return false
	}
	for _, s := range r.sentinels {
		text, err := s.info("sentinel")
		if err != nil || !strings.Contains(text, fmt.Sprintf("status=ok,address=127.0.0.1:%d,slaves=1,sentinels=%d", r.master.port, len(r.sentinels))) {
			return false
		}
	}
	return true
}

// Addrs returns the addresses of the master and the replica.
func (r *Replicated) Addrs() []string { return []string{r.master.addr(), r.replica.addr()} }

// PIDs returns the processes, the master first.
func (r *Replicated) PIDs() []int { return []int{r.master.cmd.Process.Pid, r.replica.cmd.Process.Pid} }

// KillMaster ends the master by kill -9.
func (r *Replicated) KillMaster() { r.master.kill() }

// Stop ends all processes.
func (r *Replicated) Stop() {
	for _, p := range append([]*process{r.master, r.replica}, r.sentinels...) {
		if p != nil {
			p.remove()
		}
	}
}
