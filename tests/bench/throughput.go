package main

import (
	"context"
	"fmt"
	"time"
)

// point is where a row is measured.
type point struct{ pipeline, connections int }

// row is a workload on a server at a point.
type row struct {
	workload, server string
	point
	sample         // medians
	spread float64 // of cpu, (largest - least) / median
}

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

// throughput measures every workload on every server that knows it.
func throughput(ctx context.Context, o options) (section, error) {
	var rows []row
	for _, w := range selected(o) {
		for _, p := range points(o.mode) {
			measured, err := rowsOf(ctx, o, w, p)
			if err != nil {
				return section{}, err
			}
			rows = append(rows, measured...)
		}
	}
	return throughputSection(rows), nil
}

// rowsOf measures the servers in turn, again and again, so that what else the machine does befalls all of them.
func rowsOf(ctx context.Context, o options, w workload, p point) ([]row, error) {
	servers := kinds(o)
	samples := make([][]sample, len(servers))
	for range o.repeats {
		for i, k := range servers {
			if w.throttle && !k.throttles || !w.throttle && k.only {
				continue
			}
			s, err := measure(ctx, o, k, w, p)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", w.name, k.name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	var rows []row
	for i, k := range servers {
		if len(samples[i]) == 0 {
			continue
		}
		r := row{workload: w.name, server: k.name, point: p}
		r.sample, r.spread = middle(samples[i])
		say("%-26s %-10s P=%-2d c=%-3d %8.0f/s %6.2f µs", w.name, k.name, p.pipeline, p.connections, r.rate, r.cpu)
		rows = append(rows, r)
	}
	return rows, nil
}

// measure starts a server, warms it up, and measures one workload.
func measure(ctx context.Context, o options, k kind, w workload, p point) (sample, error) {
	s, err := k.start(ctx, o.core)
	if err != nil {
		return sample{}, err
	}
	defer s.stop()
	if w.prepare != nil {
		if err := w.prepare(ctx, s); err != nil {
			return sample{}, err
		}
	}
	run := runner(ctx, s, w, p)
	warm, _, err := run(o.seconds/4, 2*p.pipeline*p.connections)
	if err != nil {
		return sample{}, err
	}
	return accounted(s, w, func() (sample, int, error) { return run(o.seconds, int(warm.rate*o.seconds)) })
}

// runner returns what puts the workload on the server, for so many seconds or so many requests, as its generator
// counts, and says how many it were.
func runner(ctx context.Context, s *server, w workload, p point) func(seconds float64, requests int) (sample, int, error) {
	if w.command == nil {
		ticks := make([]int, p.connections) // the logs' clocks go on from run to run
		return func(seconds float64, _ int) (sample, int, error) { return runScript(ctx, s, w, p, seconds, ticks) }
	}
	return func(_ float64, requests int) (sample, int, error) {
		requests = max(requests, 10_000)
		found, err := redisBenchmark(ctx, s.addr, p, requests, w.command)
		return found, requests, err
	}
}

// runScript drives the connections' scripts from where their ticks stand.
func runScript(ctx context.Context, s *server, w workload, p point, seconds float64, ticks []int) (sample, int, error) {
	out, err := drive(ctx, load{
		addr: s.addr, connections: p.connections, pipeline: p.pipeline, duration: time.Duration(seconds * 1e9),
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
	ms := func(part float64) float64 { return percentile(out.timings, part).Seconds() * 1e3 }
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
