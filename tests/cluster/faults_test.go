package cluster

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fault breaks the cluster and repairs it.
type fault struct {
	name string
	run  func(p *processes, r *rand.Rand)
}

var faults = []fault{
	{"kill -9 of the leader", func(p *processes, _ *rand.Rand) {
		p.kill(p.awaitLeader())
		p.awaitLeader()
	}},
	{"kill -9 of a follower", func(p *processes, r *rand.Rand) { p.kill(p.follower(r.IntN(9))) }},
	{"SIGSTOP of the leader, longer than its lease", func(p *processes, _ *rand.Rand) { p.pause(p.awaitLeader(), 3*nodeTimeout) }},
	{"SIGSTOP of a follower", func(p *processes, r *rand.Rand) { p.pause(p.follower(r.IntN(9)), 2*nodeTimeout) }},
	{"a lost directory", func(p *processes, r *rand.Rand) {
		i := p.follower(r.IntN(9))
		p.kill(i)
		require.NoError(p.t, os.RemoveAll(filepath.Join(p.nodes[i].dir, "raft")))
	}},
	{"a rolling restart", func(p *processes, _ *rand.Rand) {
		for i := range p.nodes {
			p.stop(i)
			p.heal()
		}
	}},
	{"CLUSTER FAILOVER", func(p *processes, r *rand.Rand) {
		_, err := p.ask(p.follower(r.IntN(9)), "CLUSTER", "FAILOVER")
		require.NoError(p.t, err)
	}},
	{"a snapshot", func(p *processes, r *rand.Rand) {
		_, err := p.ask(r.IntN(len(p.nodes)), "BGREWRITEAOF")
		require.NoError(p.t, err)
	}},
	{"kill -9 of all", func(p *processes, _ *rand.Rand) {
		for i := range p.nodes {
			p.kill(i)
		}
	}},
}

// pause stops a process for some time.
func (p *processes) pause(i int, d time.Duration) {
	p.t.Helper()
	p.signal(i, syscall.SIGSTOP)
	time.Sleep(d)
	p.signal(i, syscall.SIGCONT)
}

// Faults under load lose nothing that was acknowledged. This test and TestNetworkFaultsUnderLoad mostly wait for nodes, so they
// run at the same time.
func TestFaultsUnderLoad(t *testing.T) {
	t.Parallel()
	r, seed := random(t)
	breakUnderLoad(t, start(t, int(number(t, "CLUSTER_NODES", 3))), faults, r, seed)
}

// random returns the random numbers of a test, and their seed.
func random(t *testing.T) (r *rand.Rand, seed uint64) {
	seed = uint64(number(t, "CLUSTER_SEED", number(t, "SEED", time.Now().UnixNano())))
	t.Logf("CLUSTER_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0)), seed
}

// breakUnderLoad breaks a cluster while clients write. The order of the faults is random, and each one comes first once.
func breakUnderLoad(t *testing.T, p *processes, faults []fault, r *rand.Rand, seed uint64) {
	l := begin(p, seed)
	order, counts := r.Perm(len(faults)), map[string]int{}
	for n, deadline := 0, time.Now().Add(faultsLast(t)); n < len(faults) || time.Now().Before(deadline); n++ {
		if n%len(faults) == 0 {
			order = r.Perm(len(faults))
		}
		f := faults[order[n%len(faults)]]
		begun := time.Now()
		f.run(p, r)
		p.heal()
		counts[f.name]++
		t.Logf("%s: healed after %s", f.name, time.Since(begun).Round(time.Millisecond))
		time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
		if testing.Short() && time.Now().After(deadline) {
			break
		}
	}
	l.end(t)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%d × %s", counts[name], name)
	}
}
