package adaptive

import (
	"fmt"

	"cellserver/tests/bench/report"
)

// A contender is a limiter of the comparison.
type contender struct {
	name string
	make func(of *scenario) limit
}

// contenders are the limiters, in the order of the table.
func contenders() []contender {
	enter := func(own bool, options ...string) func(*scenario) limit {
		return func(*scenario) limit { return newLimit(own, options...) }
	}
	return []contender{
		{"no limit", func(*scenario) limit { return noLimit{} }},
		{"fixed, as many as workers", func(of *scenario) limit { return newFixed(of.workers) }},
		{"AIMD", enter(false, "AIMD", "0.1")},
		{"VEGAS", enter(false, "VEGAS")},
		{"GRADIENT2", enter(false, "GRADIENT2")},
		{"GRADIENT (default)", enter(false)},
		{"GRADIENT, WINDOW 0.5", enter(false, "WINDOW", "0.5")},
		{"GRADIENT2, one in each caller", enter(true, "GRADIENT2")},
		{"VEGAS, one in each caller", enter(true, "VEGAS")},
	}
}

// notes says what the table shows.
const notes = `
A service has workers and one queue, and its work is lognormal. Callers come at random, and give up after
a second. The service goes on working for those that have given up. A reply is good if it comes in 200 ms
(400 ms where the service is slower, 500 ms where it is small). Cells have good replies a second, and the
99th percentile of the latency in ms. The limiters are the commands of a real server, with a clock that
the simulation moves.

- **Halves**: 4,000 calls a second, 100 workers of 20 ms, half of them gone for a minute: before, during,
  after. Then the seconds until the 99th percentile is at most 1.5 times the ideal. The last number has
  the seconds until 95 % of the replies are good after the return.
- **Slower**: 2,000 calls a second, whose work takes 60 ms instead of 20 ms for a minute. Possible are
  1,667.
- **Overload**: 10,000 calls a second for ten minutes. Possible are 5,000. The first and the last five
  minutes.
- **Hang**: nothing is done for 30 seconds. The seconds until 95 % of the replies are good again.
- **Small**: 8 workers of 50 ms, 400 calls a second. Possible are 160.

One limit serves all callers, except in the last two rows.
`

// Compare runs all scenarios with all limiters whose names contain a text.
func Compare(seed uint64, wanted func(name string) bool) report.Section {
	found := report.Section{
		ID: "adaptive", Heading: "Adaptive concurrency", Notes: notes,
		Table: report.Table{
			Head: []string{"limiter", "halves", "slower", "overload", "hang", "small"}, Numbers: 5,
		},
	}
	plot := report.Bars{
		Name: "performance-adaptive.svg", Title: "Good replies a second while the service has changed",
	}
	for _, c := range contenders() {
		if !wanted(c.name) {
			continue
		}
		report.Say("%s", c.name)
		a, b := outcomeOf(halves(), c.make(halves()), seed), outcomeOf(slower(), c.make(slower()), seed)
		o, n := overloadOf(c.make(overload()), seed), run(small(), c.make(small()), seed)
		found.Table.Add(c.name,
			fmt.Sprintf("%.0f, %.0f · %.0f, %.0f · %.0f; %s, %s", a.before, a.p99Before,
				a.during, a.p99During, a.after, inSeconds(a.quick), inSeconds(a.back)),
			fmt.Sprintf("%.0f, %.0f · %.0f", b.during, b.p99During, b.after),
			fmt.Sprintf("%.0f, %.0f · %.0f, %.0f", o.before, o.p99First, o.goodLast, o.p99Last),
			inSeconds(hangOf(c.make(hang()), seed)),
			fmt.Sprintf("%.0f, %.0f", goodput(n, 30, 120), p99(n, 30, 120)))
		plot.Put(c.name, "half of the workers", a.during)
		plot.Put(c.name, "slower", b.during)
		plot.Put(c.name, "overload", o.goodLast)
	}
	found.Plots = []report.Bars{plot}
	return found
}
