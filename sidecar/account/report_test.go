package account

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/limiters"

	"github.com/stretchr/testify/require"
)

// intervalOf returns in how many nanoseconds a unit of the first limit of a hub comes back, if it has an interval.
func intervalOf(h *hub) int64 {
	if rate, ok := h.limits[0].Limiter.(limiters.Rate); ok {
		return rate.Quota.Interval()
	}
	return 0
}

// keepsReported returns the promise of a GCRA in the mode report, with so many nodes that are so late at most: as much as
// the hub allows, and once what each other node may spend before it hears of it.
func keepsReported(limit, interval, nodes, late int64) promise {
	return keepsGCRA(limit+(nodes-1)*(limit+late/interval)+nodes, interval)
}

// TestReportScenarios simulates the mode report, and holds its bound. What is too much is paid back: over a long time a
// GCRA admits what one server does. With -v it prints the table in docs/sidecar.md.
func TestReportScenarios(t *testing.T) {
	table := "\n| load | admitted ÷ central | most | messages a request | median, ms | 99th, ms |\n|---|---|---|---|---|---|\n"
	for _, s := range scenarios {
		s.interval, s.seconds = 100, max(s.seconds, 30)
		if s.keys > 0 {
			s.seconds = 3
		}
		late := int64(100_000 + tickLength + 42_000)
		switch {
		case s.cuts:
			late += s.seconds*1_000_000/3 + timeout + pauseAfter
		case s.pauses:
			late += 3_000_000
		case s.nodes == 20: // a whole burst of each node
			s.seconds = 120
		}
		central, got := s.simulate(t, 1, true), s.simulate(t, 1, false)
		ratio := float64(got.admitted) / float64(central.admitted)
		table += s.row(ratio, float64(got.messages)/float64(got.requests), &got)
		h := newHub(t, newStore(), s.limit)
		if interval := intervalOf(h) / 1000; interval > 0 && s.keys == 0 && s.restarts == 0 {
			if !s.cuts { // a debt of 15 s is not paid back in 10 s
				require.InDelta(t, 1, ratio, 0.03, s.name)
			}
			limit := h.limits[0].Limiter.(limiters.Rate).Quota.Limit()
			require.True(t, keepsReported(limit, interval, int64(s.nodes), late)(got.times), s.name)
		}
		require.LessOrEqual(t, percentile(got.waited, .5), 0.0, s.name)
		require.Greater(t, ratio, 0.95, s.name)
	}
	t.Log(table)
}

// TestNoReportingWorldBreaksTheBound lets random worlds live in the mode report: messages are lost, late or repeated,
// and processes pause. In the end the hub has counted at least what was admitted. If the hub loses charges, the worlds
// notice it.
func TestNoReportingWorldBreaksTheBound(t *testing.T) {
	r, h := rand.New(randtest.Source(t)), newHub(t, newStore(), "CL.THROTTLE 39 50 1")
	spentHere := int64(0)
	for i := range 2000 {
		keeps, f := liveReporting(t, r, h)
		require.True(t, keeps, "world %d", i)
		require.GreaterOrEqual(t, f.Charged, f.Spent, "world %d", i)
		require.Zero(t, f.Uncharged)
		spentHere += f.Spent
	}
	require.Greater(t, spentHere, int64(50_000))
	h.fault = deaf
	i := 0
	for keeps := true; keeps && i < 1000; i++ {
		keeps, _ = liveReporting(t, r, h)
	}
	require.Less(t, i, 1000, "nobody notices that the hub loses charges")
}

// liveReporting runs a random world of nodes in the mode report. It reports whether the bound holds. The view of the hub may miss
// requests that pass, and that the first charge overtakes, so these come on top.
func liveReporting(t *testing.T, r *rand.Rand, h *hub) (keeps bool, f Figures) {
	const limit, interval, length = 40, 20_000, 2_000_000
	w := &world{Rand: r, hubs: []*hub{h}, now: r.Int64N(length)}
	begin, losses, slowest, longest := w.now, r.IntN(2)*r.IntN(30), 1+r.Int64N(40_000), r.Int64N(400_000)
	var all []spent
	w.admitted = func(_ int, at, units int64) { all = append(all, spent{at, units}) }
	w.delay = func(*node) (int64, bool) { return r.Int64N(slowest), w.now < begin+length && r.IntN(100) < losses }
	for range 1 + r.IntN(4) {
		w.addNode(Settings{Lease: 1000, Keys: 2, Interval: 20 + r.Int64N(200)}).interval = intervalOf(h)
	}
	for range 10 + r.IntN(60) {
		n, at := w.nodes[r.IntN(len(w.nodes))], begin+r.Int64N(length)
		if r.IntN(30) == 0 {
			w.at(at, func() { n.paused = w.now + longest })
			continue
		}
		quantity := 1 + r.Int64N(3)*r.Int64N(2)
		for range 1 + r.IntN(10) {
			n.on(at+r.Int64N(2000), func() { n.take(0, quantity) })
		}
	}
	w.run(begin + 2*length)
	slices.SortFunc(all, func(a, b spent) int { return int(a.at - b.at) })
	unseen := int64(0)
	for _, n := range w.nodes {
		f.Add(&n.table.Figures)
		unseen += n.unseen
		require.Zero(t, n.account(0).view().owed())
	}
	h.clear(w.hubTime())
	late := 220_000 + 2*slowest + 3*longest + int64(losses)*150_000 + tickLength
	return keepsReported(limit+unseen, interval, int64(len(w.nodes)), late)(all), f
}

// reporter is an account in the mode report.
type reporter struct{ story }

// newReporter returns an account that has been told of its limit, and that charges.
func newReporter(t *testing.T, interval int64, answer Answer) *reporter {
	table := NewTable(Settings{Lease: 1000, Keys: 1, Interval: 100})
	s := &reporter{story{table.Account("ann", []byte("k")), t, Time{5_000_000, 1_790_000_000_000_000}}}
	s.Report(interval)
	s.wantTake(Pass, 1)
	s.Passed(s.now, s.now, 1, false, answer)
	s.wantTake(Pass, 1)
	s.Passed(s.now, s.now, 1, false, answer)
	s.Charged(s.now, s.wantCharge(0), answer)
	s.pass(100)
	return s
}

// charges returns the charges that leave now.
func (s *reporter) charges() (all []Ask) {
	s.table.Tick(s.now, func(_ *Account, ask Ask) { all = append(all, ask) })
	return all
}

// wantCharge requires that one charge leaves now.
func (s *reporter) wantCharge(units int64) Ask {
	s.t.Helper()
	all := s.charges()
	require.Len(s.t, all, 1)
	require.True(s.t, all[0].IsCharge)
	require.Equal(s.t, units, all[0].Want)
	return all[0]
}

// TestReport: a key is decided here once the hub takes charges of it. Its units come back one after another, and what is
// spent is charged after the interval.
func TestReport(t *testing.T) {
	s := newReporter(t, 10_000_000, Answer{100, 40, -1, 600})
	require.Equal(t, Answer{100, 49, -1, 510}, s.wantTake(Local, 1), "10 came back in 100 ms, and one is spent")
	s.wantTake(Local, 40)
	require.Equal(t, Answer{100, 9, 10, 910}, s.wantTake(Refused, 10))
	limited, answer, ok := s.Look(s.now, 9)
	require.True(t, ok && !limited)
	require.EqualValues(t, 9, answer.Remaining)
	s.wantTake(Pass, 101)
	_, ok = s.NextAsk(s.now)
	require.False(t, ok, "no leases")
	ask := s.wantCharge(41)
	require.Empty(t, s.charges())
	s.wantTake(Local, 2)
	s.Charged(s.now, ask, Answer{100, -30, 300, 1300}) // others have spent, too
	require.Equal(t, Answer{100, 0, 330, 1320}, s.wantTake(Refused, 1), "the debt, and 2 that are not charged yet")
	s.pass(329)
	s.wantTake(Refused, 1)
	s.pass(1)
	s.wantTake(Local, 1)
	s.wantCharge(3)
	require.Equal(t, Figures{Spent: 44, Refused: 3, Passed: 3, Asks: 3, Charged: 41}, s.table.Figures)
}

// TestRepeatedCharges: units whose charge has no reply are sent again. A late reply stops that, also while another charge is
// under way.
func TestRepeatedCharges(t *testing.T) {
	s := newReporter(t, 10_000_000, Answer{100, 100, -1, 0})
	s.wantTake(Local, 5)
	first := s.wantCharge(5)
	s.pass(100)
	s.Lost(s.now, first)
	s.wantTake(Local, 1)
	require.Empty(t, s.charges(), "a pause")
	s.pass(100)
	second := s.wantCharge(6)
	require.EqualValues(t, 5, s.table.Figures.Repeated)
	s.Charged(s.now, first, Answer{100, 95, -1, 50}) // late, and another one is under way
	require.EqualValues(t, 1, s.view().owed(), "the second has 5 that the hub knows")
	s.pass(100)
	s.Lost(s.now, second)
	s.Charged(s.now, second, Answer{100, 89, -1, 110}) // late, and nothing is under way
	require.Zero(t, s.view().owed())
	s.pass(500)
	require.Empty(t, s.charges())
}

// TestLastCharges: the last charge has what no other has. A tick while it is under way, or after the replies, sends
// nothing again.
func TestLastCharges(t *testing.T) {
	for _, underWay := range []int64{0, 5} {
		s := newReporter(t, 10_000_000, Answer{100, 100, -1, 0})
		var all []Ask
		if underWay > 0 {
			s.wantTake(Local, underWay)
			all = append(all, s.wantCharge(underWay))
		}
		s.wantTake(Local, 2)
		s.table.End(s.now, func(_ *Account, ask Ask) { all = append(all, ask) })
		s.pass(200)
		require.Empty(t, s.charges())
		charged := int64(0)
		for _, ask := range all {
			charged += ask.Want
			s.Charged(s.now, ask, Answer{100, 100 - charged, -1, 0})
			s.pass(200)
			require.Empty(t, s.charges())
		}
		require.Equal(t, underWay+2, charged)
		require.Zero(t, s.view().owed())
	}
}

// TestRefusedCharges: if the hub does not take a charge, the hub decides.
func TestRefusedCharges(t *testing.T) {
	s := newReporter(t, 10_000_000, Answer{100, 100, -1, 0})
	s.wantTake(Local, 5)
	s.Failed(s.now, s.wantCharge(5))
	require.EqualValues(t, 5, s.table.Figures.Uncharged)
	s.wantTake(Pass, 1)
	s.pass(9_999)
	require.Empty(t, s.charges())
	s.wantTake(Pass, 1)
	s.pass(1)
	s.Charged(s.now, s.wantCharge(0), Answer{100, 100, -1, 0})
	s.wantTake(Local, 1)
}

// TestReportedWindow: without an interval all units are back at the end. An account that refuses asks sooner what the hub
// has.
func TestReportedWindow(t *testing.T) {
	s := newReporter(t, 0, Answer{100, 2, -1, 1000})
	require.Equal(t, Answer{100, 0, -1, 900}, s.wantTake(Local, 2))
	s.Charged(s.now, s.wantCharge(2), Answer{100, -7, 900, 900})
	require.Equal(t, Answer{100, 0, 900, 900}, s.wantTake(Refused, 1))
	s.pass(24)
	require.Empty(t, s.charges())
	s.pass(1)
	s.Charged(s.now, s.wantCharge(0), Answer{100, 1, -1, 875}) // somebody gave back
	s.wantTake(Local, 1)
	s.pass(874)
	require.Equal(t, Answer{100, 0, 1, 1}, s.wantTake(Refused, 1))
	s.pass(1)
	require.Equal(t, Answer{100, 98, -1, 0}, s.wantTake(Local, 1), "one of the last window is not charged yet")
}

// TestReportedRule: a rule has several limits, and the hub speaks of one of them. Once that one is back, the hub decides.
func TestReportedRule(t *testing.T) {
	s := newReporter(t, OnlyHub, Answer{5, 1, -1, 1000})
	s.wantTake(Local, 1)
	s.Charged(s.now, s.wantCharge(1), Answer{5, 0, 1000, 1000})
	s.wantTake(Refused, 1)
	s.pass(1000)
	_, _, ok := s.Look(s.now, 1)
	require.False(t, ok)
	s.wantTake(Pass, 1)
	s.Passed(s.now, s.now, 1, false, Answer{5, 2, -1, 900})
	s.Charged(s.now, s.wantCharge(0), Answer{5, 2, -1, 900})
	s.wantTake(Local, 2)
	s.wantTake(Refused, 1)
}

// TestOwedUnits: an account that owes units is not forgotten for a new one, which has no memory then. If its user is
// refused, the units are lost, and a figure says so.
func TestOwedUnits(t *testing.T) {
	s := newReporter(t, 10_000_000, Answer{100, 100, -1, 0})
	s.wantTake(Local, 5)
	verdict, _ := s.table.Account("ann", []byte("other")).Take(s.now, 1)
	require.Equal(t, Pass, verdict)
	require.Equal(t, 1, s.table.Len())
	require.EqualValues(t, 94, s.wantTake(Local, 1).Remaining)
	s.table.DropUser("ann")
	require.EqualValues(t, 6, s.table.Figures.Uncharged)
	require.Zero(t, s.table.Len())
}

// TestForgetBesideDebts: what the hub said of a limit is forgotten, also if an account that nobody has used for longer owes
// units.
func TestForgetBesideDebts(t *testing.T) {
	s := newReporter(t, 10_000_000, Answer{100, 100, -1, 0})
	s.table.Set(Settings{Lease: 1000, Keys: 2, Interval: 100})
	s.wantTake(Local, 5)
	s.table.Account("ann", []byte("other"))
	s.table.Forget(func(*Account) bool { return true }, true)
	require.Equal(t, 1, s.table.Len())
	require.False(t, s.isForgotten())
}

// TestModes: leases are spent in the mode report, and what is owed is charged in the mode exact.
func TestModes(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{20, 100, 0, -1, 1000, 250, 7})
	s.table.Set(Settings{Lease: 1000, Keys: 1, Interval: 100})
	verdict, _ := s.Again(s.now, 1)
	require.Equal(t, Local, verdict)
	s.Report(10_000_000)
	s.wantTake(Local, 19)
	s.wantTake(Pass, 1)
	s.table.Tick(s.now, func(_ *Account, ask Ask) { s.Charged(s.now, ask, Answer{100, 50, -1, 500}) })
	s.pass(1000)
	s.table.Tick(s.now, func(_ *Account, ask Ask) { s.Charged(s.now, ask, Answer{100, 50, -1, 500}) })
	s.wantTake(Local, 3)
	s.table.Set(Settings{Lease: 1000, Keys: 1})
	s.pass(100)
	charged := int64(0)
	s.table.Tick(s.now, func(_ *Account, ask Ask) { charged += ask.Want })
	require.EqualValues(t, 3, charged)
}

// TestLargeReports: no units and no times of a limiter are too large.
func TestLargeReports(t *testing.T) {
	const most = 1<<63 - 1
	for limit, interval := range map[int64]int64{most: 0, 1 << 20: 1 << 40, 1: most} {
		s := newReporter(t, interval, Answer{limit, -most, most / 1_000_000, most / 1_000_000})
		for _, quantity := range []int64{1, 1 << 40, most} {
			verdict, answer := s.Take(s.now, quantity)
			require.NotEqual(t, Local, verdict)
			require.GreaterOrEqual(t, answer.Remaining, int64(0))
			require.GreaterOrEqual(t, answer.ResetAfter, int64(0))
		}
	}
}

// TestMemoryOfViews: 100,000 accounts of the mode report, each of which owes a unit.
func TestMemoryOfViews(t *testing.T) {
	const keys = 100_000
	before := heapBytes()
	table := NewTable(Settings{Lease: 1000, Interval: 100, Keys: keys})
	now := Time{1, 1}
	for i := range keys {
		a := table.Account("default", fmt.Appendf(nil, "cl.throttle user:%07d 99 100 60", i))
		a.Report(600_000_000)
		a.Take(now, 1)
		a.Passed(now, now, 1, false, Answer{100, 99, -1, 600})
		a.Take(now, 1)
	}
	table.Tick(now, func(a *Account, ask Ask) { a.Charged(now, ask, Answer{100, 99, -1, 600}) })
	for _, a := range table.accounts {
		a.Take(now, 1)
	}
	owing := heapBytes() - before
	t.Logf("%.1f MB", float64(owing)/(1<<20))
	require.EqualValues(t, keys, table.Figures.Spent)
	require.Less(t, owing, int64(40<<20))
	runtime.KeepAlive(table)
}
