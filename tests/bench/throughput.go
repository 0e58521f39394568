package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// point is where a row is measured.
type point struct{ pipeline, connections int }

// points are where a mode measures.
func points(mode string) (all []point) {
	connections := []int{1, 50, 500}
	if mode == "quick" {
		connections = []int{50}
	}
	for _, c := range connections {
		for _, pipeline := range []int{1, 16, 64} {
			all = append(all, point{pipeline, c})
		}
	}
	return all
}

// throughput measures every workload on every server that knows it. What is compared, at a point, is measured in turn.
func throughput(ctx context.Context, o options) ([]section, error) {
	var rows []row
	for _, p := range points(o.mode) {
		measured, err := contest(ctx, o, sidesAt(o, p))
		if err != nil {
			return nil, err
		}
		rows = append(rows, measured...)
	}
	return []section{throughputSection(rows)}, nil
}

// sidesAt are the selected workloads, each on every server that knows it.
func sidesAt(o options, p point) (all []side) {
	for _, w := range selected(o) {
		all = append(all, sidesOf(o, w, p)...)
	}
	return all
}

// sidesOf is a workload on every server that knows it.
func sidesOf(o options, w workload, p point) (all []side) {
	for _, k := range kinds(o) {
		if w.throttle && k.throttles || !w.throttle && !k.only {
			all = append(all, side{k, w, p})
		}
	}
	return all
}

// measure starts a server, warms it up, and measures one workload.
func (d side) measure(ctx context.Context, o options) (sample, error) {
	if d.command == nil && d.script == nil {
		return sample{}, errors.New("there is no such workload")
	}
	s, err := d.start(ctx, o.core)
	if err != nil {
		return sample{}, err
	}
	defer s.stop()
	if d.prepare != nil {
		if err := d.prepare(ctx, s); err != nil {
			return sample{}, err
		}
	}
	return measureOn(ctx, o, s, d.workload, d.point)
}

// measureOn measures a workload on a server that runs and is prepared.
func measureOn(ctx context.Context, o options, s *server, w workload, p point) (sample, error) {
	run := runner(ctx, s, w, p)
	warm, _, err := run(o.seconds/4, 2*p.pipeline*p.connections)
	if err != nil {
		return sample{}, err
	}
	found, err := undisturbed(ctx, []int{s.pid}, func() (sample, error) {
		return accounted(s, w, func() (sample, int, error) { return run(o.seconds, int(warm.rate*o.seconds)) })
	})
	if err == nil {
		say("%-26s %-10s P=%-2d c=%-3d %9.0f/s %6.2f µs", w.name, s.name, p.pipeline, p.connections, found.rate, found.cpu)
	}
	return found, err
}

// runner returns what puts the workload on the server, for so many seconds or so many requests, as its generator
// counts, and says how many it were.
func runner(ctx context.Context, s *server, w workload, p point) func(seconds float64, requests int) (sample, int, error) {
	if w.command == nil {
		ticks := make([]int, p.connections) // the scripts go on from run to run
		return func(seconds float64, _ int) (sample, int, error) { return runScript(ctx, s, w, p, seconds, ticks) }
	}
	return func(_ float64, requests int) (sample, int, error) {
		requests = max(requests, 10_000)
		found, err := redisBenchmark(ctx, s.addr, p, requests, w)
		return found, requests, err
	}
}

// runScript drives the connections' scripts from where their ticks stand.
func runScript(ctx context.Context, s *server, w workload, p point, seconds float64, ticks []int) (sample, int, error) {
	out, err := drive(ctx, load{
		addr: s.addr, connections: p.connections, pipeline: p.pipeline, duration: time.Duration(seconds * 1e9), heard: w.heard,
		script: func(connection int) script {
			next := w.script(connection)
			return func(request, reply []byte, _ int) ([]byte, []byte) {
				ticks[connection]++
				return next(request, reply, ticks[connection]-1)
			}
		},
	})
	if err != nil {
		return sample{}, 0, err
	}
	ms := func(part float64) float64 { return inMs(percentile(out.timings, part)) }
	return sample{
		rate: float64(out.requests) / out.elapsed.Seconds(),
		p50:  ms(0.5), p99: ms(0.99), p999: ms(0.999), max: ms(1),
	}, out.requests, nil
}

// accounted runs a load, checks by the server's own counts that it was served without an error, and adds what
// processor time it took.
func accounted(s *server, w workload, run func() (sample, int, error)) (found sample, err error) {
	if err := w.probe(s); err != nil {
		return found, err
	}
	before, err := s.counters()
	if err != nil {
		return found, err
	}
	begun, err := cpu(s.pid)
	if err != nil {
		return found, err
	}
	found, requests, err := run()
	if err != nil {
		return found, err
	}
	ended, err := cpu(s.pid)
	if err != nil {
		return found, err
	}
	after, err := s.counters()
	if err != nil {
		return found, err
	}
	if err := served(before, after, requests*max(1, w.each)); err != nil {
		return found, fmt.Errorf("%s: %w", s.name, err)
	}
	found.cpu = (ended - begun).Seconds() * 1e6 / float64(requests)
	if w.after != nil {
		if err := w.after(); err != nil {
			return found, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return found, w.probe(s)
}

// served says what is wrong with a server's counts after so many commands.
func served(before, after counters, commands int) error {
	if n := after.errors - before.errors; n != 0 {
		return fmt.Errorf("%d of %d commands were answered with an error", n, commands)
	}
	if n := after.commands - before.commands; n < int64(commands) {
		return fmt.Errorf("%d commands were sent, and only %d executed", commands, n)
	}
	return nil
}

// inOrder sorts rows by workload, as in the report, and leaves them in their order otherwise.
func inOrder(rows []row) {
	place := map[string]int{}
	for i, w := range slices.Concat(workloads(), limiters()) {
		place[w.name] = i
	}
	slices.SortStableFunc(rows, func(a, b row) int { return place[a.workload] - place[b.workload] })
}
