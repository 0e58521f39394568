package adaptive

import (
	"fmt"
	"strings"
	"testing"
)

// A contender is a limiter of the comparison.
type contender struct {
	name string
	make func(of *scenario) limit
}

// contenders are the limiters, in the order of the table.
func contenders(t testing.TB) []contender {
	enter := func(own bool, options ...string) func(*scenario) limit {
		return func(*scenario) limit { return newLimit(t, own, options...) }
	}
	return []contender{
		{"no limit", func(*scenario) limit { return noLimit{} }},
		{"fixed, as many as workers", func(of *scenario) limit { return newFixed(t, of.workers) }},
		{"AIMD", enter(false, "AIMD", "0.1")},
		{"VEGAS", enter(false, "VEGAS")},
		{"GRADIENT2", enter(false, "GRADIENT2")},
		{"GRADIENT (default)", enter(false)},
		{"GRADIENT, WINDOW 0.5", enter(false, "WINDOW", "0.5")},
		{"GRADIENT2, one in each caller", enter(true, "GRADIENT2")},
		{"VEGAS, one in each caller", enter(true, "VEGAS")},
	}
}

// Line has what a limiter did in each scenario.
type Line struct {
	Limiter string
	Cells   []string
	Changed [3]float64 // good replies a second while the service has changed: halves, slower, overload
}

// Compare runs all scenarios with all limiters whose names contain a text.
func Compare(t testing.TB, seed uint64, only string) (all []Line) {
	for _, c := range contenders(t) {
		if !strings.Contains(c.name, only) {
			continue
		}
		t.Logf("%s", c.name)
		a, b := outcomeOf(halves(), c.make(halves()), seed), outcomeOf(slower(), c.make(slower()), seed)
		o, n := overloadOf(c.make(overload()), seed), run(small(), c.make(small()), seed)
		all = append(all, Line{c.name, []string{
			fmt.Sprintf("%.0f, %.0f · %.0f, %.0f · %.0f; %s, %s", a.before, a.p99Before,
				a.during, a.p99During, a.after, inSeconds(a.quick), inSeconds(a.back)),
			fmt.Sprintf("%.0f, %.0f · %.0f", b.during, b.p99During, b.after),
			fmt.Sprintf("%.0f, %.0f · %.0f, %.0f", o.before, o.p99First, o.goodLast, o.p99Last),
			inSeconds(hangOf(c.make(hang()), seed)),
			fmt.Sprintf("%.0f, %.0f", goodput(n, 30, 120), p99(n, 30, 120)),
		}, [3]float64{a.during, b.during, o.goodLast}})
	}
	return all
}
