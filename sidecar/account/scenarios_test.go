package account

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// A scenario is a load on the keys of one hub through some sidecars. Requests come at random.
type scenario struct {
	name  string
	limit string
	nodes int
	rate  float64 // requests a second in all
	keys  int     // by Zipf's law; 0 for one
	heavy bool    // one node has 80 % of the load

	bursts   bool // all requests of a second come to one node within 50 ms
	moves    bool // the load moves from node to node every two seconds
	pauses   bool // each node pauses for 0.2 to 3 s, again and again
	cuts     bool // half of the nodes are cut off for 10 s
	policy   Policy
	restarts int64 // seconds after which each node restarts; 0 for never
	seconds  int64
	interval int64 // of charges in milliseconds, if the mode is report

	most, in float64 // units that the limit allows in any time of so many seconds
	messages float64 // questions and passed requests for each request, about
	least    float64 // of what central decisions admit; 0 for 0.97
}

var scenarios = []scenario{
	{name: "2 nodes, 500/s sliding, 800 rps", limit: "CL.SLIDING 500 1", nodes: 2, rate: 800, messages: .095,
		least: 0.988},
	{name: "8 nodes, 10,000/s, 5,000 rps, one has 80 %", limit: "CL.THROTTLE 9999 10000 1", nodes: 8, rate: 5000,
		heavy: true, messages: .026},
	{name: "8 nodes, 600,000/min, 5,000 rps, one has 80 %", limit: "CL.THROTTLE 599999 600000 60", nodes: 8,
		rate: 5000, heavy: true, messages: .0095},
	{name: "8 nodes, 1,000/s, 5,000 rps, one has 80 %", limit: "CL.THROTTLE 999 1000 1", nodes: 8, rate: 5000,
		heavy: true, most: 2000, in: 1, messages: .054},
	{name: "100 nodes, 1,000/s, 3,000 rps", limit: "CL.THROTTLE 999 1000 1", nodes: 100, rate: 3000, most: 2000,
		in: 1, messages: .22},
	{name: "8 nodes, 1,000/s burst 50, 2,000 rps", limit: "CL.THROTTLE 49 1000 1", nodes: 8, rate: 2000,
		most: 1050, in: 1, messages: 1},
	{name: "20 nodes, 5/s burst 5, 200 rps", limit: "CL.THROTTLE 4 5 1", nodes: 20, rate: 200, most: 10, in: 1,
		messages: .45},
	{name: "8 nodes, 1,000 a second aligned, 3,000 rps", limit: "CL.WINDOW 1000 1 ALIGN", nodes: 8, rate: 3000,
		messages: .022},
	{name: "8 nodes, 20,000 an hour, 60 rps in bursts", limit: "CL.THROTTLE 19999 20000 3600", nodes: 8, rate: 60,
		bursts: true, seconds: 900, messages: .26},
	{name: "the same, each restarts every minute", limit: "CL.THROTTLE 19999 20000 3600", nodes: 8, rate: 60,
		bursts: true, restarts: 60, seconds: 900, messages: .26},
	{name: "8 nodes, 2,000 in any 10 s (log), 400 rps", limit: "CL.LOG 2000 10", nodes: 8, rate: 400,
		most: 2000, in: 10, messages: .08},
	{name: "900 rps of 1,000/s that move every 2 s", limit: "CL.THROTTLE 999 1000 1", nodes: 8, rate: 900,
		moves: true, messages: .07},
	{name: "8 nodes, 1,000/s, 3,000 rps, pauses", limit: "CL.THROTTLE 999 1000 1", nodes: 8, rate: 3000,
		pauses: true, most: 2000, in: 1, messages: .18},
	{name: "the same without pauses, 4 cut off for a third of the time", limit: "CL.THROTTLE 999 1000 1", nodes: 8, rate: 3000,
		cuts: true, most: 2000, in: 1, messages: .08},
	{name: "the same, each restarts every 2 s", limit: "CL.THROTTLE 999 1000 1", nodes: 8, rate: 3000,
		restarts: 2, most: 2000, in: 1, messages: .11},
	{name: "10,000 keys by Zipf, 100/s each, 20,000 rps", limit: "CL.THROTTLE 99 100 1", nodes: 8, rate: 20000,
		keys: 10000, messages: .58},
}

// arrival is a request of a trace.
type arrival struct {
	at        int64
	node, key int
}

// trace returns the requests of a scenario in the order of time.
func (s *scenario) trace(r *rand.Rand) (all []arrival) {
	pick := func() int { return 0 }
	if s.keys > 0 {
		zipf := rand.NewZipf(r, 1.07, 1, uint64(s.keys-1))
		pick = func() int { return int(zipf.Uint64()) }
	}
	for at := 0.0; ; {
		at += r.ExpFloat64() * 1e6 / s.rate
		t := int64(at)
		if t >= s.seconds*1e6 {
			return all
		}
		node := r.IntN(s.nodes)
		switch {
		case s.heavy && r.IntN(10) < 8:
			node = 0
		case s.moves:
			node = int(t/2e6) % s.nodes
		case s.bursts:
			node, t = int(t/1e6*7)%s.nodes, t/1e6*1e6+t%50_000
		}
		all = append(all, arrival{t, node, pick()})
	}
}

// intervals are times with a beginning and an end.
type intervals [][2]int64

// endAt returns the end of the interval at a time, 0 outside of all.
func (all intervals) endAt(at int64) int64 {
	for _, i := range all {
		if i[0] <= at && at < i[1] {
			return i[1]
		}
	}
	return 0
}

// result is what a simulation has seen.
type result struct {
	admitted int64
	requests int
	messages int
	most     float64 // of what the limit allows, in the time in which most was admitted
	waited   []int64
	times    []spent
}

// simulate runs the trace of a scenario through sidecars, or without.
func (s *scenario) simulate(t *testing.T, seed uint64, central bool) (got result) {
	r := rand.New(rand.NewPCG(seed, 1))
	trace, pauses := s.trace(r), make([]intervals, s.nodes)
	if s.pauses {
		for i := range pauses {
			for at := r.Int64N(4e6); at < s.seconds*1e6; {
				end := at + 200_000 + r.Int64N(2_800_000)
				pauses[i] = append(pauses[i], [2]int64{at, end})
				at = end + r.Int64N(4e6)
			}
		}
	}
	if s.bursts {
		slices.SortFunc(trace, func(a, b arrival) int { return int(a.at - b.at) })
	}
	w := &world{Rand: r, waited: []int64{}, policy: s.policy}
	keys := newStore()
	for i := range max(1, s.keys) {
		h := newHub(t, keys, s.limit)
		h.names[0] = fmt.Append(nil, "limit", i)
		w.hubs = append(w.hubs, h)
	}
	w.admitted = func(_ int, at, units int64) {
		got.admitted += units
		got.times = append(got.times, spent{at, units})
	}
	w.delay = func(*node) (int64, bool) { return 500 + r.Int64N(1000)/999*20_000, false }
	for i := range s.nodes {
		n := w.addNode(Settings{Lease: 1000, Keys: 100_000, Interval: s.interval})
		n.interval = intervalOf(w.hubs[0])
		for _, pause := range pauses[i] {
			w.at(pause[0], func() { n.paused = pause[1] })
		}
		if s.cuts && i < s.nodes/2 {
			n.cut = func(at int64) bool { return s.seconds*1e6/3 <= at && at < s.seconds*2e6/3 }
		}
		if s.restarts > 0 {
			for at := r.Int64N(s.restarts * 1e6); at < s.seconds*1e6; at += s.restarts * 1e6 {
				w.at(at, n.restart)
			}
		}
	}
	for _, a := range trace {
		if pauses[a.node].endAt(a.at) > 0 {
			continue // nobody asks a process that stands still
		}
		got.requests++
		if n := w.nodes[a.node]; central {
			w.at(a.at, func() { n.central(a.key) })
		} else {
			w.at(a.at, func() { n.take(a.key, 1) })
		}
	}
	w.run(s.seconds * 1e6)
	for _, h := range w.hubs {
		got.messages += h.asked
	}
	got.messages += w.passed
	got.waited = w.waited
	slices.SortFunc(got.times, func(a, b spent) int { return int(a.at - b.at) })
	if s.most > 0 {
		got.most = float64(mostIn(got.times, int64(s.in*1e6))) / s.most
	}
	return got
}

// central asks the hub as a client without a sidecar.
func (n *node) central(key int) {
	w := n.w
	w.at(w.now+500, func() {
		if limited, _ := w.hubs[key].direct(w.hubTime(), 1); !limited {
			w.admitted(key, w.now, 1)
		}
	})
}

// restart forgets all that a node knows.
func (n *node) restart() {
	n.table = NewTable(n.table.settings)
	clear(n.waiting)
}

// mostIn returns how many of the times are in one interval of a length at most.
func mostIn(times []spent, length int64) (most int) {
	first := 0
	for i, s := range times {
		for times[first].at <= s.at-length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// percentile returns a percentile of waits, in milliseconds.
func percentile(waits []int64, p float64) float64 {
	if len(waits) == 0 {
		return math.NaN()
	}
	return float64(waits[int(p*float64(len(waits)-1))]) / 1000
}

// row returns the row of a table about a scenario.
func (s *scenario) row(ratio, messages float64, got *result) string {
	most := "–"
	if s.most > 0 {
		most = fmt.Sprintf("%.0f %%", 100*got.most)
	}
	slices.Sort(got.waited)
	return fmt.Sprintf("| %s | %.3f | %s | %.2g | %.2f | %.2f |\n", s.name, ratio, most, messages,
		percentile(got.waited, .5), percentile(got.waited, .99))
}

// TestScenarios compares what sidecars admit with what the hub alone admits of the same requests. With -v it
// prints the table in docs/sidecar.md. It simulates 30 s, and less for many keys. SECONDS says another time, and
// SEED lets other requests come: the ratios differ by 0.005, and so does the bound.
func TestScenarios(t *testing.T) {
	seed, less := uint64(1), 0.0
	if os.Getenv("SEED") != "" {
		less = 0.005
		seed = rand.New(randtest.Source(t)).Uint64()
	}
	seconds, err := strconv.ParseInt(os.Getenv("SECONDS"), 10, 64)
	if err != nil {
		seconds = 30
	}
	table := "\n| load | admitted ÷ central | most | messages a request | median, ms | 99th, ms |\n" +
		"|---|---|---|---|---|---|\n"
	for _, s := range scenarios {
		switch {
		case s.keys > 0 && err != nil:
			s.seconds = 3
		case s.seconds == 0:
			s.seconds = seconds
		}
		central, leased := s.simulate(t, seed, true), s.simulate(t, seed, false)
		ratio := float64(leased.admitted) / float64(central.admitted)
		messages := float64(leased.messages) / float64(leased.requests)
		table += s.row(ratio, messages, &leased)
		require.GreaterOrEqual(t, ratio, max(s.least, 0.97)-less, s.name)
		require.LessOrEqual(t, leased.most, 1.0, s.name)
		require.LessOrEqual(t, messages, 1.3*s.messages, s.name)
	}
	t.Log(table)
}

// TestShares: with half of the sidecars cut off for ten seconds, all of them together admit less than twice the
// limit, and more than they do with deny.
func TestShares(t *testing.T) {
	admitted := map[Policy]int64{}
	for _, policy := range []Policy{Deny, Share} {
		s := scenario{limit: "CL.THROTTLE 999 1000 1", nodes: 8, rate: 3000, cuts: true, seconds: 30, policy: policy}
		admitted[policy] = s.simulate(t, 1, false).admitted
	}
	ratio := float64(admitted[Share]) / float64(admitted[Deny])
	t.Logf("admitted with shares ÷ with deny: %.2f", ratio)
	require.Greater(t, ratio, 1.1)
	require.Less(t, ratio, 1.4, "half of the limit for a third of the time, and half of the burst")
}
