package main

import (
	"errors"
	"math"
	"os/exec"
	"testing"
	"time"

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
	require.Contains(t, s.notes, "1 of 2 targets are met; the measurements took 1m1s")
	require.Len(t, s.table.rows, 2)
}

func TestWhatCannotBeMeasuredIsNotMet(t *testing.T) {
	o := options{repeats: 1, seconds: 1, clients: 1, core: "0"}
	none := ofOurs(o, "no such command", point{1, 1})
	for _, v := range compared(t.Context(), o, byCPU, none, contender{verdict{name: "x", bound: 1, unit: asTimes}, none}) {
		require.ErrorContains(t, v.err, "no such workload")
		require.False(t, v.met())
	}
	for _, v := range failed(errors.New("no"), verdict{}, verdict{atLeast: true}) {
		require.False(t, v.met())
	}
}

func TestVerdictIsOnTheRatioOfTheSidesInTheirOrder(t *testing.T) {
	of := row{samples: []sample{{cpu: 1, others: 0.3}, {cpu: 3}}, sample: sample{others: 0.3}}
	over := row{samples: []sample{{cpu: 2}, {cpu: 4}}}
	var v verdict
	v.compare(of, over, byCPU)
	require.Equal(t, []float64{0.5, 0.75}, v.rounds)
	require.Equal(t, 0.3, v.others)
}

func TestTargetsNameWorkloadsThatThereAre(t *testing.T) {
	for _, name := range []string{"CL.THROTTLE", yardstick, "SET", "GET", "ZADD, a large set", transaction, "CL.WINDOW", "CL.SLIDING", "CL.CHECK", "CL.LOG"} {
		w := workloadNamed(name)
		require.True(t, w.command != nil || w.script != nil, name)
	}
}

func TestGoBenchmarks(t *testing.T) {
	found, err := parseGoBench(`goos: linux
BenchmarkThrottle8/keys/1-2         	   68704	      3465 ns/op	       433.1 ns/command	       0 B/op
BenchmarkThrottle8/keys/1-2         	   68704	      3466 ns/op	       434 ns/command	       0 B/op
BenchmarkLongest 1 2 ns/op 79.12 longest-µs
PASS
`)
	require.NoError(t, err)
	require.Equal(t, []float64{433.1, 434}, found["Throttle8/keys/1"]["ns/command"])
	require.Equal(t, []float64{79.12}, found["Longest"]["longest-µs"])
	_, err = parseGoBench("PASS\n")
	require.Error(t, err)
	_, err = parseGoBench("BenchmarkX-2 1 many ns/op\n")
	require.Error(t, err)
}

// startKept starts the real Redis in a folder, with a log of changes.
func startKept(t *testing.T, dir string) *server {
	t.Helper()
	k := kind{name: redis, argv: []string{"redis-server", "--save", "", "--bind", "127.0.0.1"}, keeps: logged("everysec")}
	s, err := k.startIn(t.Context(), "0", dir)
	require.NoError(t, err)
	t.Cleanup(s.stop)
	return s
}

func TestKeysAreKept(t *testing.T) {
	for _, tool := range []string{"redis-server", "taskset"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	s := startKept(t, dir)
	_, err := drive(t.Context(), manyKeys(s.kind, s.addr, "kept", 1000))
	require.NoError(t, err)
	for _, j := range []job{saveJob, rewriteJob} {
		before, err := s.persistence(j.runs)
		require.NoError(t, err)
		require.NoError(t, j.run(t.Context(), s.client))
		after, err := s.persistence(j.runs)
		require.NoError(t, err)
		require.Equal(t, before+1, after, j.command)
	}
	s.stop()
	s = startKept(t, dir)
	require.NoError(t, s.holds(1000))
	_, err = s.do("CONFIG", "SET", "appendonly", "no")
	require.NoError(t, err)
	require.ErrorContains(t, s.keepsAsTold(), "keeps no log")
}

func TestLoadsEndWhenTold(t *testing.T) {
	s := serve(t)
	require.NoError(t, fillUsed(t.Context(), s))
	until := make(chan struct{})
	close(until)
	out, err := drive(t.Context(), load{addr: s.addr, connections: 2, pipeline: 1, until: until, script: usage(s.kind)})
	require.NoError(t, err)
	require.Zero(t, out.requests)
	out, err = drive(t.Context(), load{addr: s.addr, connections: 2, pipeline: 1, count: 3, until: make(chan struct{}), script: usage(s.kind)})
	require.NoError(t, err)
	require.Equal(t, 6, out.requests)
}

func TestCostsOfJobsAreMedians(t *testing.T) {
	k := kept{jobs: []jobCosts{{job: saveJob}, {job: rewriteJob, costs: []jobCost{
		{cpu: 1, quiet: 4, during: 6, others: 0.5}, {cpu: 3, quiet: 5, during: 5}, {cpu: 2, quiet: 6, during: 7, took: 3},
	}}}}
	require.Equal(t, jobCost{cpu: 2, quiet: 5, during: 6, others: 0.5}, k.jobs[1].middle())
	require.Len(t, k.of(rewriteJob), 3)
	l := loading{took: []time.Duration{time.Second, 2 * time.Second}}
	require.Equal(t, []float64{100, 50}, l.rates(100))
}
