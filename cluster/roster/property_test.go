package roster

import (
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// disturb breaks or repairs one random thing.
func (w *world) disturb(diskLoss bool) {
	m, other := w.any(), w.any()
	switch p := w.rng.IntN(12); {
	case p < 2:
		w.stop(m)
	case p < 5:
		w.isolate(m, true)
	case p < 8:
		w.isolate(m, false)
	case p < 9:
		w.cut[[2]int{m.at, other.at}] = w.rng.IntN(2) == 0
	case p < 10 && diskLoss:
		w.stop(m)
		m.disk = nil
	case p < 11 && diskLoss:
		w.powerCut(m)
	}
}

// act lets a machine do one random thing.
func (w *world) act(m *machine) {
	switch w.rng.IntN(8) {
	case 0, 1:
		w.start(m)
	case 2:
		w.askAll(m)
	case 3:
		w.ask(m, w.any())
	case 4:
		w.step(m)
	case 5:
		w.elect(m)
	case 6:
		w.join(m, w.any())
	case 7:
		w.askAll(m)
		w.step(m)
	}
}

func (w *world) any() *machine { return w.machines[w.rng.IntN(len(w.machines))] }

// run disturbs a world until a rule is broken, at most for the given number of rounds.
func (w *world) run(rounds int, diskLoss bool) string {
	for range rounds {
		if w.rng.IntN(3) == 0 {
			w.disturb(diskLoss)
		}
		for range len(w.machines) {
			if w.act(w.any()); w.wrong != "" {
				return w.wrong
			}
		}
	}
	return ""
}

// heal starts every machine, and lets all of them act until they have one cluster.
func (w *world) heal() bool {
	clear(w.cut)
	for range 20 {
		for _, m := range w.machines {
			w.start(m)
			w.askAll(m)
			w.step(m)
			w.elect(m)
			for _, other := range w.machines {
				w.join(m, other)
			}
		}
		if w.whole() {
			return true
		}
	}
	return false
}

// There is one cluster of a list, in any order of starts, cuts, restarts, lost disks and power cuts.
func TestOneListOneCluster(t *testing.T) {
	rng, founded := rand.New(randtest.Source(t)), 0
	for range 1000 {
		w := newWorld(rng, 1+rng.IntN(5), Decide)
		require.Empty(t, w.run(200, true))
		founded += len(w.clusters)
	}
	require.Greater(t, founded, 500, "most worlds must found a cluster")
}

// Without lost disks, every world ends with one cluster of all nodes.
func TestEveryListBecomesACluster(t *testing.T) {
	rng := rand.New(randtest.Source(t))
	for range 1000 {
		w := newWorld(rng, 1+rng.IntN(5), Decide)
		require.Empty(t, w.run(rng.IntN(200), false))
		require.True(t, w.heal(), w)
		require.Empty(t, w.wrong)
		require.Len(t, w.clusters, 1)
	}
}

// A cluster that has lost the disks of a minority is whole again.
func TestLostDisksAreReplaced(t *testing.T) {
	rng := rand.New(randtest.Source(t))
	for range 1000 {
		w := newWorld(rng, 3+2*rng.IntN(2), Decide)
		require.True(t, w.heal())
		for i := range len(w.machines) / 2 {
			m := w.machines[i]
			if w.stop(m); rng.IntN(2) == 0 {
				m.disk = nil
			} else {
				w.powerCut(m)
			}
		}
		require.True(t, w.heal(), w)
		require.Empty(t, w.wrong)
		require.Len(t, w.clusters, 1)
	}
}

// Each rule is needed: without it, the worlds of TestOneListOneCluster break.
func TestBrokenRulesAreFound(t *testing.T) {
	for name, decide := range map[string]func(Self, map[string]Answer) Decision{
		"silent nodes count as empty": func(s Self, answers map[string]Answer) Decision {
			for _, a := range s.List {
				if answers[a.String()].Error != "" {
					answers[a.String()] = Answer{Standing: Standing{Run: a.String(), Phase: Empty, Nodes: s.Nodes, Found: a.String()}}
				}
			}
			return Decide(s, answers)
		},
		"a founder that has voted counts as a founder": func(s Self, answers map[string]Answer) Decision {
			for _, a := range s.List {
				if answer := answers[a.String()]; answer.Phase == Member && answer.ID == FounderID(s.List, a) {
					answer.Phase = Founding
					answers[a.String()] = answer
				}
			}
			return Decide(s, answers)
		},
		"a disk that may not vote counts as none": func(s Self, answers map[string]Answer) Decision {
			forget := func(s *Standing) {
				if s.Phase == Returning {
					s.Phase, s.Cluster = Empty, ""
				}
			}
			forget(&s.Standing)
			for at, answer := range answers {
				forget(&answer.Standing)
				answers[at] = answer
			}
			return Decide(s, answers)
		},
		"a node that joins has the id of a founder": func(s Self, answers map[string]Answer) Decision {
			d := Decide(s, answers)
			for _, a := range s.List {
				if d.Action == Enter && a.String() == d.Found {
					d.ID = FounderID(s.List, a)
				}
			}
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(randtest.Source(t))
			for world := range 10_000 {
				if wrong := newWorld(rng, 3, decide).run(200, true); wrong != "" {
					t.Logf("world %d: %s", world, wrong)
					return
				}
			}
			t.Error("no world finds it")
		})
	}
}
