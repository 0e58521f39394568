package cluster

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// networkFaults cut links. Some cuts are so long that a leader notices the loss of its majority.
var networkFaults = []fault{
	{"a leader without its link", func(p *processes, r *rand.Rand) { p.network.unplug(p.awaitLeader(), aWhile(r)) }},
	{"a follower without its link", func(p *processes, r *rand.Rand) { p.network.unplug(p.follower(r.IntN(9)), aWhile(r)) }},
	{"a leader that reaches clients only", func(p *processes, r *rand.Rand) {
		leader := p.awaitLeader()
		p.network.cutFor(aWhile(r), append(p.others(leader), swapped(p.others(leader))...)...)
	}},
	{"a leader whose packets are lost", func(p *processes, r *rand.Rand) { p.network.cutFor(aWhile(r), p.others(p.awaitLeader())...) }},
	{"a leader that gets no packets", func(p *processes, r *rand.Rand) {
		p.network.cutFor(aWhile(r), swapped(p.others(p.awaitLeader()))...)
	}},
	{"one way from the leader to a follower", func(p *processes, r *rand.Rand) {
		p.network.cutFor(aWhile(r), [2]int{p.awaitLeader(), p.follower(r.IntN(9))})
	}},
	{"one way from a follower to the leader", func(p *processes, r *rand.Rand) {
		p.network.cutFor(aWhile(r), [2]int{p.follower(r.IntN(9)), p.awaitLeader()})
	}},
	{"a link that comes and goes", func(p *processes, r *rand.Rand) {
		for i, end := p.follower(r.IntN(9)), time.Now().Add(aWhile(r)); time.Now().Before(end); {
			p.network.unplug(i, time.Duration(r.IntN(200))*time.Millisecond)
			time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		}
	}},
	{"two groups without a path between them", func(p *processes, r *rand.Rand) {
		order := r.Perm(len(p.nodes))
		var pairs [][2]int
		for _, a := range order[:len(order)/2] {
			for _, b := range order[len(order)/2:] {
				pairs = append(pairs, [2]int{a, b}, [2]int{b, a})
			}
		}
		p.network.cutFor(aWhile(r), pairs...)
	}},
	{"kill -9 of two nodes, one of them the leader", func(p *processes, r *rand.Rand) {
		leader, follower := p.awaitLeader(), p.follower(r.IntN(9))
		p.kill(leader)
		p.kill(follower)
		if len(p.nodes) > 3 {
			p.awaitLeader()
		}
	}},
}

// aWhile returns a time between half a NodeTimeout and five of them.
func aWhile(r *rand.Rand) time.Duration {
	return nodeTimeout/2 + time.Duration(r.Int64N(int64(9*nodeTimeout/2)))
}

// others returns the ways from a node to all others.
func (p *processes) others(from int) (pairs [][2]int) {
	for to := range p.nodes {
		if to != from {
			pairs = append(pairs, [2]int{from, to})
		}
	}
	return pairs
}

// swapped returns the opposite ways.
func swapped(pairs [][2]int) (all [][2]int) {
	for _, pair := range pairs {
		all = append(all, [2]int{pair[1], pair[0]})
	}
	return all
}

// Five nodes with a network between them lose nothing, whichever link breaks.
func TestNetworkFaultsUnderLoad(t *testing.T) {
	t.Parallel()
	r, seed := random(t)
	breakUnderLoad(t, startOnNetwork(t, int(number(t, "CLUSTER_NODES", 5))), networkFaults, r, seed)
}

// Nodes are replaced by another build of the program, one after the other, under load.
func TestAnotherProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program once more")
	}
	_, seed := random(t)
	next := filepath.Join(t.TempDir(), "cellserver")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", next, "cellserver/cmd/cellserver").CombinedOutput()
	require.NoError(t, err, string(out))
	p := start(t, 3)
	l := begin(p, seed)
	for i := range p.nodes {
		p.stop(i)
		p.nodes[i].bin = next
		p.heal()
		program, err := os.Readlink(filepath.Join("/proc", p.pid(i), "exe"))
		require.NoError(t, err)
		require.Equal(t, next, program)
	}
	l.end(t)
}
