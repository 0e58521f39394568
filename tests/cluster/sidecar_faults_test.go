package cluster

import (
	"math/rand/v2"
	"testing"
	"time"

	"cellserver/internal/promisetest"

	"github.com/stretchr/testify/require"
)

// sidecarFaults break sidecars and their network, and end by themselves.
var sidecarFaults = []struct {
	name string
	run  func(hub, sidecars *processes, r *rand.Rand)
}{
	{"kill -9 of a sidecar", func(_, s *processes, r *rand.Rand) {
		i := r.IntN(len(s.nodes))
		s.kill(i)
		s.run(i)
	}},
	{"SIGSTOP of a sidecar", func(_, s *processes, r *rand.Rand) { s.pause(r.IntN(len(s.nodes)), aWhile(r)) }},
	{"a sidecar without its hub", func(hub, s *processes, r *rand.Rand) { cutOff(hub, s, r, 1, true) }},
	{"half of the sidecars without their hub", func(hub, s *processes, r *rand.Rand) { cutOff(hub, s, r, len(s.nodes)/2, true) }},
	{"a sidecar whose questions arrive, and whose answers do not", func(hub, s *processes, r *rand.Rand) { cutOff(hub, s, r, 1, false) }},
	{"kill -9 of the leader", func(hub, _ *processes, _ *rand.Rand) { hub.kill(hub.awaitLeader()) }},
	{"SIGSTOP of the leader, longer than its lease", func(hub, _ *processes, _ *rand.Rand) { hub.pause(hub.awaitLeader(), 3*nodeTimeout) }},
	{"a leader without its link", func(hub, _ *processes, r *rand.Rand) { hub.network.unplug(hub.awaitLeader(), aWhile(r)) }},
	{"CLUSTER FAILOVER", func(hub, _ *processes, r *rand.Rand) {
		_, err := hub.ask(hub.follower(r.IntN(9)), "CLUSTER", "FAILOVER")
		require.NoError(hub.t, err)
	}},
}

// cutOff loses the packets of some sidecars to all nodes, or those from all nodes to them, for some time.
func cutOff(hub, s *processes, r *rand.Rand, sidecars int, questions bool) {
	var pairs [][2]int
	for _, i := range r.Perm(len(s.nodes))[:sidecars] {
		for node := range hub.nodes {
			pairs = append(pairs, [2]int{s.first + i, node})
		}
	}
	if !questions {
		pairs = swapped(pairs)
	}
	hub.network.cutFor(aWhile(r), pairs...)
}

// TestSidecarsUnderFaults: eight sidecars of three nodes, each in a network namespace, never admit more than the limit,
// whatever breaks.
func TestSidecarsUnderFaults(t *testing.T) {
	r, seed := random(t)
	hub := startOnNetwork(t, 3)
	for name, one := range map[string]struct {
		command []any
		promise promisetest.Promise
	}{
		"CL.THROTTLE": {[]any{"CL.THROTTLE", "hot", 499, 1000, 1}, promisetest.Bucket(500, 1000, time.Second)},
		"CL.LOG":      {[]any{"CL.LOG", "log", 2000, 4}, promisetest.AnyPeriod(2000, 4*time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Logf("seed %d", seed)
			hub.t = t
			sidecars := hub.beside(8)
			c := sidecars.crowd(2, 80, one.command...)
			for _, n := range r.Perm(len(sidecarFaults)) {
				before := time.Since(c.begun)
				sidecarFaults[n].run(hub, sidecars, r)
				hub.heal()
				for i := range sidecars.nodes {
					sidecars.await(i)
				}
				t.Logf("%s: %d admitted in %s", sidecarFaults[n].name, c.between(before, time.Since(c.begun)), (time.Since(c.begun) - before).Round(time.Millisecond))
			}
			c.end(t, one.promise)
			require.Greater(t, len(c.admitted), 100, "the sidecars go on between the faults")
		})
	}
}
