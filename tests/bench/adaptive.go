package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"cellserver/tests/bench/adaptive"
	"cellserver/tests/bench/contest"
)

const adaptiveNotes = `
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

// compareAdaptive runs the simulation of adaptive limits.
func compareAdaptive(t testing.TB, o contest.Options) []section {
	found := section{
		id: "adaptive", heading: "Adaptive concurrency", notes: adaptiveNotes,
		table: table{numbers: 5, head: []string{"limiter", "halves", "slower", "overload", "hang", "small"}},
	}
	plot := bars{name: "performance-adaptive.svg", title: "Good replies a second while the service has changed"}
	stop := context.AfterFunc(t.Context(), func() { // nothing else in a simulation waits for the context
		fmt.Fprintln(os.Stderr, "bench: interrupted")
		os.Exit(1)
	})
	defer stop()
	lines := adaptive.Compare(t, 1, o.Only)
	for _, line := range lines {
		found.table.add(append([]string{line.Limiter}, line.Cells...)...)
	}
	for i, scenario := range []string{"half of the workers", "slower", "overload"} {
		for _, line := range lines {
			plot.put(line.Limiter+": "+scenario, line.Changed[i])
		}
	}
	found.plots = []bars{plot}
	return []section{found}
}
