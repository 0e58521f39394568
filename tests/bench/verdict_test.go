package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"

	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		verdict
		met   bool
		cells []string
	}{
		{verdict{name: "x", bound: 0.95, unit: asTimes, rounds: []float64{0.9, 0.95, 2}}, true,
			[]string{"x", "≤ 0.95 ×", "0.95 ×", "0.90 × … 2.00 ×", "0 %", "met"}},
		{verdict{name: "x", bound: 0.95, unit: asTimes, rounds: []float64{0.96}, others: 0.5}, false,
			[]string{"x", "≤ 0.95 ×", "0.96 ×", "–", "50 %", "**not met**, disturbed"}},
		{verdict{name: "x", bound: 2e6, atLeast: true, unit: asRate, rounds: []float64{2e6}}, true,
			[]string{"x", "≥ 2,000,000/s", "2,000,000/s", "–", "0 %", "met"}},
		{verdict{name: "x", bound: 2e6, atLeast: true, unit: asRate, rounds: []float64{1e6}}, false,
			[]string{"x", "≥ 2,000,000/s", "1,000,000/s", "–", "0 %", "**not met**"}},
		{verdict{name: "x", bound: 1.5, unit: asSeconds, rounds: []float64{1, 1, 2}, largest: true}, false,
			[]string{"x", "≤ 1.50 s", "2.00 s", "1.00 s … 2.00 s", "0 %", "**not met**"}},
		{verdict{name: "x", bound: 30, unit: asSeconds, rounds: []float64{math.NaN()}}, false,
			[]string{"x", "≤ 30.00 s", "never", "–", "0 %", "**not met**"}},
		{verdict{name: "x", bound: 30, unit: asBytes, err: errors.New("no\nlog\n")}, false,
			[]string{"x", "≤ 30 B", "–", "–", "–", "not measured: no"}},
	} {
		require.Equal(t, c.met, c.verdict.met(), "%v", c.cells)
		require.Equal(t, c.cells, c.verdict.cells())
	}
	s := targetsSection([]verdict{
		{bound: 1, unit: asMicros, rounds: []float64{1}}, {bound: 1, unit: asMillis, rounds: []float64{2}},
	}, 61*time.Second)
	require.Contains(t, s.Notes, "1 of 2 targets are met; the measurements took 1m1s")
	require.Len(t, s.Table.Rows, 2)
}

func TestWhatCannotBeMeasuredIsNotMet(t *testing.T) {
	o := contest.Options{Repeats: 1, Seconds: 1, Clients: 1, Core: "0"}
	none := ofOurs(o, "no such command", load.Point{Pipeline: 1, Connections: 1})
	for _, v := range compared(t.Context(), o, contest.ByCPU, none, contender{verdict{name: "x", bound: 1, unit: asTimes}, none}) {
		require.ErrorContains(t, v.err, "no such workload")
		require.False(t, v.met())
	}
	for _, v := range failed(errors.New("no"), verdict{}, verdict{atLeast: true}) {
		require.False(t, v.met())
	}
}

func TestVerdictIsOnTheRatioOfTheSidesInTheirOrder(t *testing.T) {
	of := contest.Row{Samples: []load.Sample{{CPU: 1, Others: 0.3}, {CPU: 3}}, Sample: load.Sample{Others: 0.3}}
	over := contest.Row{Samples: []load.Sample{{CPU: 2}, {CPU: 4}}}
	var v verdict
	v.compare(of, over, contest.ByCPU)
	require.Equal(t, []float64{0.5, 0.75}, v.rounds)
	require.Equal(t, 0.3, v.others)
}

func TestTargetsNameWorkloadsThatThereAre(t *testing.T) {
	for _, name := range []string{"CL.THROTTLE", contest.Yardstick, "SET", "GET", "ZADD, a large set", contest.Transaction, "CL.WINDOW", "CL.SLIDING", "CL.CHECK", "CL.LOG"} {
		w := contest.WorkloadNamed(name)
		require.True(t, w.Command != nil || w.Script != nil, name)
	}
}

func TestTypesNameWorkloadsThatThereAre(t *testing.T) {
	for _, name := range mainCommands {
		require.True(t, slices.ContainsFunc(contest.Types(), func(w contest.Workload) bool { return w.Name == name }), name)
	}
}

func TestTypesThatCannotBeMeasuredAreNotMet(t *testing.T) {
	o := contest.Options{Repeats: 1, Seconds: 1, Clients: 1, Keys: 10, Core: "0", Cellserver: "/no such program"}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, measure := range []func(context.Context, contest.Options) []verdict{scriptTargets, typeTargets, typeMemoryTargets} {
		all := measure(cancelled, o)
		require.NotEmpty(t, all)
		for _, v := range all {
			require.Error(t, v.err)
			require.False(t, v.met())
		}
	}
}
